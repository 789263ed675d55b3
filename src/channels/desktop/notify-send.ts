import type { ChannelDependencies } from '../../core/channel.ts';
import { idIn } from './bus-client.ts';
import { APP_NAME, ICON, stringHints } from './bus-message.ts';
import type { BusMessage } from './bus-message.ts';
import { createClickListener } from './click-listener.ts';
import { shownBy } from './programs.ts';
import type { Programs } from './programs.ts';
import type { PopUp, Rung, Shown } from './rung.ts';
import type { SessionBus } from './session-bus.ts';

/**
 * The notify-send of libnotify. Before 0.7.10 it cannot tell the id of what it shows: then it replaces by the
 * synchronous hint alone, where the server knows it, nothing can be withdrawn, and a click does nothing.
 */
export function notifySend(
  programs: Programs,
  bus: SessionBus,
  onReaction: ChannelDependencies['onReaction'],
): Rung {
  const clicks = createClickListener(programs, bus, onReaction);
  let program: string | null = null;
  let knowsIds = false;
  let hearsClicks = false;

  async function showBy(path: string, popUp: PopUp, signal: AbortSignal): Promise<Shown> {
    const replaces = knowsIds ? bus.latestId(popUp.key) : null;
    const message = { popUp, replaces, body: bus.bodyText(popUp.body) };
    const arguments_ = notifySendArguments(message);
    if (hearsClicks) {
      return clicks.show(popUp, { program: path, arguments: arguments_, replaces }, signal);
    }
    const printId = knowsIds ? ['--print-id'] : [];
    const result = await programs.run(path, [...printId, ...arguments_], { signal });
    return shownBy(result, result.ok && knowsIds ? idIn(result.stdout) : null);
  }

  return {
    name: 'notify-send',
    replaces: true,
    reacts: () => hearsClicks,
    answers: () => (hearsClicks ? clicks.answers() : 'not at all'),
    async probe(look) {
      program = await programs.find('notify-send');
      if (program === null) return { usable: false, detail: 'not on PATH' };
      const help = await programs.ask(program, ['--help'], look);
      if (!help.ok) return { usable: false, detail: `its --help ${help.reason}` };
      knowsIds = help.stdout.includes('--print-id') && help.stdout.includes('--action');
      const trouble = await bus.trouble(look);
      if (trouble !== null) return { usable: false, detail: trouble };
      hearsClicks = knowsIds && bus.tellsActions() && (await clicks.probe(program, look));
      const age = knowsIds ? '' : 'older than libnotify 0.7.10, so it withdraws nothing; ';
      return { usable: true, detail: `${age}server: ${bus.summary()}` };
    },
    async show(popUp, signal) {
      if (program === null) return { type: 'unfit', reason: 'not on PATH' };
      const shown = await showBy(program, popUp, signal);
      if (shown.type === 'shown' && shown.id !== null) bus.remember(popUp.key, shown.id);
      return shown;
    },
    hearAgain(popUp, shown) {
      if (!hearsClicks || bus.latestId(popUp.key) !== null) return;
      if (clicks.hearAgain(popUp, shown)) bus.remember(popUp.key, shown.id);
    },
    async withdraw(id, signal, server) {
      if (server !== undefined && (await clicks.isGone(server, { signal }))) return null;
      const group = bus.groupOf(id);
      if (group !== null) clicks.end(group);
      return bus.close(id, signal);
    },
    close: () => clicks.close(),
  };
}

function notifySendArguments({ popUp, replaces, body }: BusMessage): string[] {
  return [
    `--app-name=${APP_NAME}`,
    ...(replaces === null ? [] : [`--replace-id=${replaces}`]),
    `--urgency=${popUp.urgency}`,
    ...(popUp.expireMs === null ? [] : [`--expire-time=${popUp.expireMs}`]),
    `--icon=${ICON}`,
    ...stringHints(popUp).map(([name, value]) => `--hint=string:${name}:${value}`),
    '--',
    popUp.title,
    // It reads C escapes in the body, not in the title; an octal one that is no UTF-8 kills it (libnotify 0.8.1).
    body.replaceAll('\\', '\\\\'),
  ];
}

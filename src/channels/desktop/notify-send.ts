import { APP_NAME, ICON, stringHints } from './bus-message.ts';
import type { BusMessage } from './bus-message.ts';
import { idIn } from './bus-client.ts';
import type { Programs } from './programs.ts';
import { shownBy } from './programs.ts';
import type { Rung } from './rung.ts';
import type { SessionBus } from './session-bus.ts';

/**
 * The notify-send of libnotify 0.7.10 or newer, which tells the id of what it shows; or, as `notify-send-old`, any
 * other one, which replaces by the synchronous hint alone, where the server knows it.
 */
export function notifySend(
  name: 'notify-send' | 'notify-send-old',
  programs: Programs,
  bus: SessionBus,
): Rung {
  const knowsIds = name === 'notify-send';
  let program: string | null = null;
  return {
    name,
    replaces: true,
    async probe(look) {
      program = await programs.find('notify-send');
      if (program === null) return { usable: false, detail: 'notify-send is not on PATH' };
      const help = await programs.ask(program, ['--help'], look);
      if (!help.ok) return { usable: false, detail: `notify-send --help ${help.reason}` };
      if (knowsIds && !(help.stdout.includes('--print-id') && help.stdout.includes('--action'))) {
        return { usable: false, detail: 'notify-send is older than libnotify 0.7.10' };
      }
      const trouble = await bus.trouble(look);
      return { usable: trouble === null, detail: trouble ?? `server: ${bus.summary()}` };
    },
    async show(popUp, signal) {
      if (program === null) return { type: 'unfit', reason: 'notify-send is not on PATH' };
      const replaces = knowsIds ? bus.latestId(popUp.key) : null;
      const message = { popUp, replaces, body: bus.bodyText(popUp.body) };
      const result = await programs.run(program, notifySendArguments(message, knowsIds), {
        signal,
      });
      const id = result.ok && knowsIds ? idIn(result.stdout) : null;
      if (id !== null) bus.remember(popUp.key, id);
      return shownBy('notify-send', result, id);
    },
    ...(knowsIds && { withdraw: (id: string, signal: AbortSignal) => bus.close(id, signal) }),
  };
}

function notifySendArguments({ popUp, replaces, body }: BusMessage, knowsIds: boolean): string[] {
  return [
    `--app-name=${APP_NAME}`,
    ...(knowsIds ? ['--print-id'] : []),
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

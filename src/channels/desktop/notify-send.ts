import { idIn } from './bus-client.ts';
import { APP_NAME, ICON, stringHints } from './bus-message.ts';
import type { BusMessage } from './bus-message.ts';
import { shownBy } from './programs.ts';
import type { Programs } from './programs.ts';
import type { Rung } from './rung.ts';
import type { SessionBus } from './session-bus.ts';

/**
 * The notify-send of libnotify. Before 0.7.10 it cannot tell the id of what it shows: then it replaces by the
 * synchronous hint alone, where the server knows it, and nothing can be withdrawn.
 */
export function notifySend(programs: Programs, bus: SessionBus): Rung {
  let program: string | null = null;
  let knowsIds = false;
  return {
    name: 'notify-send',
    replaces: true,
    async probe(look) {
      program = await programs.find('notify-send');
      if (program === null) return { usable: false, detail: 'not on PATH' };
      const help = await programs.ask(program, ['--help'], look);
      if (!help.ok) return { usable: false, detail: `its --help ${help.reason}` };
      knowsIds = help.stdout.includes('--print-id') && help.stdout.includes('--action');
      const trouble = await bus.trouble(look);
      if (trouble !== null) return { usable: false, detail: trouble };
      const age = knowsIds ? '' : 'older than libnotify 0.7.10, so it withdraws nothing; ';
      return { usable: true, detail: `${age}server: ${bus.summary()}` };
    },
    async show(popUp, signal) {
      if (program === null) return { type: 'unfit', reason: 'not on PATH' };
      const replaces = knowsIds ? bus.latestId(popUp.key) : null;
      const message = { popUp, replaces, body: bus.bodyText(popUp.body) };
      const arguments_ = [...(knowsIds ? ['--print-id'] : []), ...notifySendArguments(message)];
      const result = await programs.run(program, arguments_, { signal });
      const id = result.ok && knowsIds ? idIn(result.stdout) : null;
      if (id !== null) bus.remember(popUp.key, id);
      return shownBy(result, id);
    },
    withdraw: (id, signal) => bus.close(id, signal),
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

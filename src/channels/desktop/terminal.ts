import { notifyTerminal } from '../support/notify-terminal.ts';
import type { Machine } from '../support/session-terminal.ts';
import type { TerminalSequence } from '../support/terminal-sequence.ts';
import type { Backend } from './rung.ts';

/** Asks the terminal of the session to notify, which also works over ssh. */
export function terminal(sequence: TerminalSequence | 'auto', machine: Machine): Backend {
  return {
    name: 'terminal',
    replaces: false,
    probe: async () => ({ usable: true, detail: "writes to the session's terminal" }),
    async show({ title, body, key, sound, whereabouts }, signal) {
      const bell = sound === null ? 'alone' : 'always';
      const message = { title, body, key, bell } as const;
      const notified = await notifyTerminal(whereabouts, message, { sequence, machine, signal });
      // Trouble with this terminal says nothing about the next one.
      return notified.type === 'taken'
        ? { type: 'shown', id: null }
        : { type: 'unfit', reason: notified.reason };
    },
  };
}

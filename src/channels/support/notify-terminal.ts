import type { TerminalLocation } from '../../core/notification.ts';
import type { Machine } from './session-terminal.ts';
import { findSessionTerminal } from './session-terminal.ts';
import type { TerminalMessage, TerminalSequence } from './terminal-sequence.ts';
import { sequenceFor, terminalText } from './terminal-sequence.ts';
import { writeTerminal } from './write-terminal.ts';

export type Notified =
  /** `how`: with the text, by the bell alone, or not at all, since only the bell was left and shall not ring. */
  | { readonly type: 'taken'; readonly how: 'text' | 'bell' | 'silence' }
  /** `reason` is a sentence; `passes`: it may work later. */
  | { readonly type: 'refused'; readonly reason: string; readonly passes: boolean };

/** Asks the terminal of a session to notify; `auto` goes by its name. */
export async function notifyTerminal(
  whereabouts: TerminalLocation,
  message: TerminalMessage,
  {
    sequence,
    machine,
    signal,
  }: {
    readonly sequence: TerminalSequence | 'auto';
    readonly machine: Machine;
    readonly signal: AbortSignal;
  },
): Promise<Notified> {
  const terminal = await findSessionTerminal(whereabouts, machine);
  if (signal.aborted) return refused('stopped before anything was written', true);
  if (terminal === null) return refused('the terminal of the session is unknown', false);
  const chosen = sequence === 'auto' ? sequenceFor(terminal.names) : sequence;
  const text = terminalText(chosen, message, terminal.route);
  if (text === '') return { type: 'taken', how: 'silence' };
  const written = await writeTerminal(terminal.path, text);
  if (written.type === 'refused') {
    return refused(`the terminal of the session ${written.trouble}`, written.passes);
  }
  return {
    type: 'taken',
    how: chosen === 'bell' || terminal.route === 'none' ? 'bell' : 'text',
  };
}

function refused(reason: string, passes: boolean): Notified {
  return { type: 'refused', reason, passes };
}

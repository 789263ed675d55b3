import { sha256 } from '../../platform/crypto.ts';
import type { TerminalLocation } from '../../core/notification.ts';
import { cutText, joinedLines } from '../../text/sanitize.ts';
import { findSessionTerminal, type Machine, type SessionTerminal } from './session-terminal.ts';
import { writeTerminal } from './write-terminal.ts';

/** The escape sequence that carries the text: OSC 9, OSC 777, OSC 99, or only the bell. */
export const terminalSequences = ['osc9', 'osc777', 'osc99', 'bell'] as const;
export type TerminalSequence = (typeof terminalSequences)[number];

interface TerminalMessage {
  readonly title: string;
  readonly body: string;
  /** Names the group in letters and digits: a newer message replaces the older one, if the terminal supports it. */
  readonly key: string;
  /** The bell: with the text, only if nothing else is possible, or never. */
  readonly bell: 'always' | 'alone' | 'never';
}

const MAX_TITLE = 120;
const MAX_BODY = 600;
const ESC = '\u001b';
const BELL = '\u0007';

/**
 * Sequences by terminal name. OSC 99 is kitty's own, with title, text and a click that brings the window forward
 * (sw.kovidgoyal.net/kitty/desktop-notifications); OSC 9 has one text (iterm2.com/documentation-escape-codes.html); OSC
 * 777 has title and text, came from urxvt, and most of the others know it; one that does not drops it.
 */
const known: readonly (readonly [RegExp, TerminalSequence])[] = [
  [/kitty/i, 'osc99'],
  [/iterm/i, 'osc9'],
  [/apple_terminal|alacritty|vscode|(?:^| )(?:linux|dumb|screen)/i, 'bell'],
];

/** The sequence that a terminal of these names most likely understands. */
function sequenceFor(names: string): TerminalSequence {
  return known.find(([pattern]) => pattern.test(names))?.[1] ?? 'osc777';
}

/**
 * The bytes to write; none if only the bell remains and it is off. The texts are cleaned and cut here, so that they
 * cannot end the sequence.
 */
export function terminalText(
  sequence: TerminalSequence,
  message: TerminalMessage,
  route: SessionTerminal['route'],
): string {
  if (sequence === 'bell' || route === 'none') return message.bell === 'never' ? '' : BELL;
  const plain = notify[sequence](message);
  const bell = message.bell === 'always' ? BELL : '';
  return (route === 'direct' ? plain : throughTmux(plain)) + bell;
}

const notify: Readonly<
  Record<Exclude<TerminalSequence, 'bell'>, (message: TerminalMessage) => string>
> = {
  osc9: ({ title, body }) =>
    `${ESC}]9;${parameter(title, MAX_TITLE)}: ${parameter(body, MAX_BODY)}${BELL}`,
  osc777: ({ title, body }) =>
    `${ESC}]777;notify;${parameter(title, MAX_TITLE)};${parameter(body, MAX_BODY)}${BELL}`,
  osc99: ({ title, body, key }) =>
    `${ESC}]99;i=${key}:d=0:e=1;${base64(title, MAX_TITLE)}${ESC}\\` +
    `${ESC}]99;i=${key}:d=1:e=1:p=body;${base64(body, MAX_BODY)}${ESC}\\`,
};

/** Text that can neither end the sequence nor begin another parameter: a semicolon becomes its full-width form. */
function parameter(text: string, max: number): string {
  return line(text, max).replaceAll(';', '；');
}

function base64(text: string, max: number): string {
  return Buffer.from(line(text, max)).toString('base64');
}

function line(text: string, max: number): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this expression is for
  return cutText(joinedLines(text), max).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

/** tmux forwards the content of this envelope, with every escape character doubled: tmux(1), "allow-passthrough". */
function throughTmux(text: string): string {
  return `${ESC}Ptmux;${text.replaceAll(ESC, ESC + ESC)}${ESC}\\`;
}

export type TerminalOutcome =
  /** `how`: with the text, by the bell only, or not at all, because only the bell was possible and it is off. */
  | { readonly type: 'taken'; readonly how: 'text' | 'bell' | 'silence' }
  /** `reason` is a sentence; `passes`: it may work later. */
  | { readonly type: 'refused'; readonly reason: string; readonly passes: boolean };

/** Sends a notification to the terminal of a session; `auto` goes by its name. */
export async function notifyTerminal(
  location: TerminalLocation,
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
): Promise<TerminalOutcome> {
  const terminal = await findSessionTerminal(location, machine);
  if (signal.aborted) return refused('stopped before anything was written', true);
  if (terminal === null) return refused("the session's terminal is unknown", false);
  const chosen = sequence === 'auto' ? sequenceFor(terminal.names) : sequence;
  const text = terminalText(chosen, message, terminal.route);
  if (text === '') return { type: 'taken', how: 'silence' };
  const written = await writeTerminal(terminal.path, text);
  if (written.type === 'refused') {
    return refused(`the session's terminal ${written.trouble}`, written.passes);
  }
  return {
    type: 'taken',
    how: chosen === 'bell' || terminal.route === 'none' ? 'bell' : 'text',
  };
}

function refused(reason: string, passes: boolean): TerminalOutcome {
  return { type: 'refused', reason, passes };
}

/** Names a group of notifications in letters and digits only: nothing of an event goes into an option or a sequence. */
export function groupName(groupKey: string): string {
  return sha256(groupKey).slice(0, 16);
}

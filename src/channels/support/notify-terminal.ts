import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isatty } from 'node:tty';

import { sha256 } from '../../platform/crypto.ts';
import type { TerminalLocation } from '../../core/notification.ts';
import { cutText, joinedLines } from '../../text/sanitize.ts';
import { pause, systemTimer } from '../../platform/time.ts';
import { tmuxServer } from '../../platform/tmux.ts';
import { agentProcess } from '../../core/session.ts';
import { runsInTmux, type TmuxPane, tmuxPaneOf } from '../../core/facts.ts';
import type { Ask } from '../../platform/ask-program.ts';
import { processLine } from '../../platform/process-table.ts';

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

/** None if only the bell remains and it is off. The texts are cleaned and cut, so that they cannot end the sequence. */
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
  }: { sequence: TerminalSequence | 'auto'; machine: Machine; signal: AbortSignal },
): Promise<TerminalOutcome> {
  const terminal = await findSessionTerminal(location, machine);
  if (signal.aborted) return refused('stopped before anything was written', true);
  if (terminal === null) return refused("the session's terminal is unknown", false);
  const likeliest = known.find(([pattern]) => pattern.test(terminal.names))?.[1] ?? 'osc777';
  const chosen = sequence === 'auto' ? likeliest : sequence;
  const text = terminalText(chosen, message, terminal.route);
  if (text === '') return { type: 'taken', how: 'silence' };
  const refusal = await writeTerminal(terminal.path, text);
  if (refusal !== null) return refused(`the session's terminal ${refusal.trouble}`, refusal.passes);
  return { type: 'taken', how: chosen === 'bell' || terminal.route === 'none' ? 'bell' : 'text' };
}

function refused(reason: string, passes: boolean): TerminalOutcome {
  return { type: 'refused', reason, passes };
}

/** Names a group of notifications in letters and digits only: nothing of an event goes into an option or a sequence. */
export function groupName(groupKey: string): string {
  return sha256(groupKey).slice(0, 16);
}

const TERMINAL_PATH = /^\/dev\/(?:pts\/\d+|tty\w+)$/;

/** For the rest of a sequence that a terminal began to take, ms: half of one would swallow the next output. */
const REST_MS = 500;

/** `trouble` follows "the terminal" in a sentence; `passes`: it may accept text later. */
type Refusal = { readonly trouble: string; readonly passes: boolean };

// It must not become the daemon's own terminal, a held one must not block the daemon, and a link must not lead
// elsewhere.
const FLAGS = constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Writes to a terminal of this user, and to nothing else, whatever the path names. Never waits for a held terminal. */
async function writeTerminal(path: string, text: string): Promise<Refusal | null> {
  if (!TERMINAL_PATH.test(path)) return lasting('has an invalid path');
  const file = await open(path, FLAGS).catch(() => null);
  if (file === null) return lasting('is gone');
  try {
    const device = await file.stat();
    if (!device.isCharacterDevice() || !isatty(file.fd)) return lasting('is not a terminal device');
    if (device.uid !== process.geteuid?.()) return lasting('belongs to another user');
    return await writeAll(file, Buffer.from(text));
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<Refusal | null> {
  let rest = bytes;
  for (let waitedMs = 0; waitedMs <= REST_MS; waitedMs += 20) {
    try {
      const { bytesWritten } = await file.write(rest);
      rest = rest.subarray(bytesWritten);
    } catch {
      // EAGAIN: its output is held, as by Ctrl-S. After any other error nothing more can be done.
      if (rest.length === bytes.length) return { trouble: 'does not accept text', passes: true };
    }
    if (rest.length === 0) return null;
    await pause(20, systemTimer);
  }
  return lasting('accepted only a part of the text');
}

function lasting(trouble: string): Refusal {
  return { trouble, passes: false };
}

export interface SessionTerminal {
  readonly path: string;
  /** Its own name, in any spelling, such as "xterm-kitty" or "iTerm.app". */
  readonly names: string;
  /** Directly, wrapped for tmux, or not at all, because tmux blocks it. The bell always gets through. */
  readonly route: 'direct' | 'through-tmux' | 'none';
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly ask: Ask;
  readonly now: () => number;
}

/** Null if unknown. */
export async function findSessionTerminal(
  { agent, facts, at }: TerminalLocation,
  machine: Machine,
): Promise<SessionTerminal | null> {
  const pane = runsInTmux(facts) ? tmuxPaneOf(facts) : null;
  if (pane !== null) return paneTerminal(pane, machine.ask);
  const names = [facts.term_program, facts.lc_terminal, facts.term].join(' ');
  const path = (await agentTerminal({ agent, facts, at }, machine)) ?? facts.tty ?? null;
  return path === null ? null : { path, names, route: 'direct' };
}

/** The controlling terminal of the agent's process, such as "/dev/pts/3"; null without one. */
export async function agentTerminal(
  { agent, facts, at }: TerminalLocation,
  { platform, ask, now }: Machine,
): Promise<string | null> {
  const pid = agentProcess(agent, facts);
  if (pid === null) return null;
  if (platform === 'linux') return (await processLine(pid, now() - at))[0]?.terminal ?? null;
  // Without /proc; ps(1) names terminals without their directory, and uses signs if a process has none.
  const answer = await ask('ps', ['-o', 'lstart=', '-o', 'tty=', '-p', String(pid)]);
  const [, start = '', name] = /^(.*?)\s(tty\w+|pts\/\d+)\s*$/.exec(answer ?? '') ?? [];
  // A younger process has its number by now; a time in another language proves nothing.
  return name === undefined || Date.parse(start) > at + 1_000 ? null : `/dev/${name}`;
}

async function paneTerminal(
  { socket, serverPid, pane }: TmuxPane,
  ask: Ask,
): Promise<SessionTerminal | null> {
  const server = tmuxServer(ask, socket);
  const shown = await server.pane(pane);
  if (shown?.serverPid !== serverPid) return null;
  const { session, passthrough, isCurrent, device: path } = shown;
  const latest = (await server.clients()).find((client) => client.session === session);
  const isLet = letsAll.has(passthrough) || (letsSeen.has(passthrough) && isCurrent);
  const route = isLet && latest !== undefined ? 'through-tmux' : 'none';
  return { path, names: latest?.names ?? '', route };
}

/** The tmux value of "allow-passthrough": empty before 3.3, a number in 3.3, which has no "all", and a word since. */
const letsAll: ReadonlySet<string> = new Set(['', 'all']);
const letsSeen: ReadonlySet<string> = new Set(['1', 'on']);

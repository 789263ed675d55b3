import { tmuxServer } from '../../platform/tmux.ts';
import type { TerminalLocation } from '../../core/notification.ts';
import { agentProcess } from '../../core/session.ts';
import { runsInTmux, type TmuxPane, tmuxPaneOf } from '../../core/facts.ts';
import type { Ask } from '../../platform/ask-program.ts';
import { processLine } from '../../platform/process-table.ts';

/** The terminal that the agent of a session runs in. */
export interface SessionTerminal {
  /** Its device, such as "/dev/pts/3". */
  readonly path: string;
  /** Its own name, in any spelling, such as "xterm-kitty" or "iTerm.app". */
  readonly names: string;
  /**
   * How a sequence reaches the visible terminal: directly, wrapped for tmux, or not at all, because tmux blocks it. The
   * bell always gets through.
   */
  readonly route: 'direct' | 'through-tmux' | 'none';
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly ask: Ask;
  readonly now: () => number;
}

/** Returns null if unknown. */
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
  const answer = await ask('ps', ['-o', 'tty=', '-p', String(pid)]);
  const name = /^\s*(tty\w+|pts\/\d+)\s*$/.exec(answer ?? '')?.[1];
  return name === undefined ? null : `/dev/${name}`;
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

import type { TmuxPane } from '../../core/facts.ts';
import type { TmuxClient } from '../../platform/tmux.ts';
import type { FocusStep } from './step.ts';

/** The terminal that shows a tmux session, or the one that can be switched to it. */
export interface TmuxTerminal {
  readonly pid: number;
  readonly device: string;
  readonly showsSession: boolean;
}

/**
 * The last used terminal among those attached to the session, else among all of them; null if none is attached.
 *
 * @param clients those used last first
 */
export function terminalFor(session: string, clients: readonly TmuxClient[]): TmuxTerminal | null {
  const terminals = clients.filter(({ isControl, device }) => !isControl && device !== '');
  const shown = terminals.find((client) => client.session === session);
  const best = shown ?? terminals[0];
  if (best === undefined) return null;
  return { pid: best.pid, device: best.device, showsSession: best === shown };
}

/** Bring the pane forward within its server; all of them, in this order: tmux(1). */
export function tmuxSteps(
  { socket, pane }: TmuxPane,
  client: TmuxTerminal | null,
): readonly FocusStep[] {
  const commands = [
    ['select-window', '-t', pane],
    ['select-pane', '-t', pane],
    ...(client === null || client.showsSession
      ? []
      : [['switch-client', '-c', client.device, '-t', pane]]),
  ];
  return commands.map((words) => ({ program: 'tmux', arguments: ['-S', socket, ...words] }));
}

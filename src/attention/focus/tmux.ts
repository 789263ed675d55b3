import type { TmuxPane } from '../../core/facts.ts';
import type { Step } from './step.ts';

/** The first tmux query: the pane's server, id and session, and one line for each terminal attached to the server. */
export const PANE_FORMAT = '#{pid} #{pane_id} #{session_id}';
export const CLIENT_FORMAT =
  '#{session_id} #{client_activity} #{client_pid} #{client_control_mode} #{client_tty}';

/** A terminal attached to a tmux server. */
export interface TmuxClient {
  readonly pid: number;
  readonly device: string;
  readonly showsSession: boolean;
}

/** Null if the server is another one, or the pane is gone. */
export function sessionIn(answer: string, { serverPid, pane }: TmuxPane): string | null {
  const [, server, id, session] = /^(\d+) (%\d+) (\$\d+)$/.exec(answer.trim()) ?? [];
  return server === serverPid && id === pane ? (session ?? null) : null;
}

/** The last used terminal among those attached to the session, else among all of them; null if none is attached. */
export function clientFor(session: string, answer: string): TmuxClient | null {
  const clients = answer.split('\n').flatMap((line) => {
    const [, of, activity, pid, control, device] =
      /^(\$\d+) (\d+) (\d+) ([01]) (\/dev\/[\w/]+)$/.exec(line.trim()) ?? [];
    if (device === undefined || control === '1') return [];
    const showsSession = of === session;
    return [{ pid: Number(pid), device, showsSession, activity: Number(activity) }];
  });
  const [best] = clients.toSorted(
    (a, b) => Number(b.showsSession) - Number(a.showsSession) || b.activity - a.activity,
  );
  if (best === undefined) return null;
  const { pid, device, showsSession } = best;
  return { pid, device, showsSession };
}

/** Bring the pane forward within its server; all of them, in this order: tmux(1). */
export function tmuxSteps({ socket, pane }: TmuxPane, client: TmuxClient | null): readonly Step[] {
  const commands = [
    ['select-window', '-t', pane],
    ['select-pane', '-t', pane],
    ...(client === null || client.showsSession
      ? []
      : [['switch-client', '-c', client.device, '-t', pane]]),
  ];
  return commands.map((words) => ({ program: 'tmux', arguments: ['-S', socket, ...words] }));
}

import { callDaemon } from '../control/control-client.ts';
import type { DaemonStarter } from '../control/contract-views.ts';
import { findDaemon, stopDaemon } from '../control/stop-daemon.ts';
import type { Paths } from '../core/paths.ts';
import { pollUntil } from '../platform/time.ts';

/** Another may be about to become ready, ms. */
const READY_MS = 5_000;

/** Which daemons those of a service manager and those that a person or supervisor runs in the foreground replace. */
const replaced: Readonly<Record<'service' | 'terminal', readonly DaemonStarter[]>> = {
  service: ['hook', 'command'],
  terminal: ['hook'],
};

/**
 * Ends the daemon that runs, if `by` comes before it; a hung one only for a service, which no one watches.
 *
 * @returns whether none runs now
 */
export async function replaceDaemon(paths: Paths, by: 'service' | 'terminal'): Promise<boolean> {
  const ask: Parameters<typeof findDaemon>[0]['ask'] = (name, call) =>
    callDaemon(paths, name, call);
  const other = await pollUntil(() => findDaemon({ ask }), READY_MS);
  const isLess = other === null ? by === 'service' : replaced[by].includes(other.startedBy);
  if (!isLess) return false;
  await stopDaemon({ ask, paths });
  return true;
}

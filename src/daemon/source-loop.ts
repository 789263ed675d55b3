import type { Log } from '../core/log.ts';
import type { SourceJob } from '../sources/source.ts';

/** However long a job wants to wait: after a suspension, or a clock that was set, it is asked again this soon. */
const LONGEST_MS = 60_000;
const SHORTEST_MS = 250;

/** Calls a job whenever it asks for it, at once for the first time, until it is stopped. */
export function startSourceLoop(
  job: SourceJob,
  { name, now, log }: { readonly name: string; readonly now: () => number; readonly log: Log },
): { readonly stop: () => Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = takeTurn();

  async function takeTurn(): Promise<void> {
    try {
      await job.run();
    } catch (error) {
      log.error({ source: name, err: error }, 'A source cannot go on');
    }
    if (isStopped) return;
    const waitMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, job.nextAt() - now()));
    timer = setTimeout(() => {
      turn = takeTurn();
    }, waitMs);
    timer.unref();
  }

  return {
    /** Settles when a run that is under way has ended. */
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await turn;
    },
  };
}

import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Makes a function that runs `work` at most once at a time. Calls of the same moment share a run, and calls during a
 * run share one more after it, so that each promise resolves after a run that began later than its call.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let again = false;

  async function run(): Promise<void> {
    // By the next turn everything that happened in this moment has called.
    await nextTurn();
    while (again) {
      again = false;
      await work();
    }
  }

  return () => {
    again = true;
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };
}

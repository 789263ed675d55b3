/** No more programs than these wait; the oldest goes, which only leaves its pop-up without an ear. */
const MAX_WAITING = 16;

export interface WaitingProgram<Result = unknown> {
  readonly ended: Promise<Result>;
  readonly stop: () => void;
}

/** Programs that live as long as their pop-up stands, and tell by their end what became of it. At most one a group. */
export interface WaitingPrograms {
  /**
   * Starts one. The one that waits for the older pop-up of the group ends: nobody sees that any more.
   *
   * @param run ends the program at the latest when the signal fires
   */
  start<Result>(key: string, run: (signal: AbortSignal) => Promise<Result>): WaitingProgram<Result>;
  /** Ends the one that waits for the pop-up of this group, if any does. */
  end(key: string): void;
  /** Ends them all. */
  close(): Promise<void>;
}

export function createWaitingPrograms(): WaitingPrograms {
  const waiting = new Map<string, WaitingProgram>();

  function end(key: string): void {
    waiting.get(key)?.stop();
    waiting.delete(key);
  }

  return {
    start(key, run) {
      end(key);
      const stopping = new AbortController();
      const started = { ended: run(stopping.signal), stop: () => stopping.abort() };
      waiting.set(key, started);
      void started.ended.finally(() => {
        if (waiting.get(key) === started) waiting.delete(key);
      });
      const [oldest] = waiting.keys();
      if (waiting.size > MAX_WAITING && oldest !== undefined) end(oldest);
      return started;
    },
    end,
    async close() {
      const all = [...waiting.values()];
      for (const { stop } of all) stop();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

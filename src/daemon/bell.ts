/** Tells whoever waits that something happened. */
export interface Signal {
  ring(): void;
  /** Settles with the next ring. */
  next(): Promise<void>;
}

export function createBell(): Signal {
  let waiting: (() => void)[] = [];
  return {
    ring() {
      const all = waiting;
      waiting = [];
      for (const tell of all) tell();
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

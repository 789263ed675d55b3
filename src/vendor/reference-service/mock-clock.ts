/** The service's own time, Unix ms; it stands still unless it is told to move or given a clock that runs. */
export interface MockClock {
  now(): number;
  set(time: number): void;
  advance(ms: number): void;
}

/** @param start a fixed time, or a clock to follow */
export function createMockClock(start: number | (() => number)): MockClock & { reset(): void } {
  const source = typeof start === 'number' ? () => start : start;
  let offset = 0;
  return {
    now: () => source() + offset,
    set: (time) => {
      offset = time - source();
    },
    advance: (ms) => {
      offset += ms;
    },
    reset: () => {
      offset = 0;
    },
  };
}

import { within } from './time.ts';
import type { Log } from './log.ts';

/** Started parts and how to stop them: last started, first stopped. */
export interface Lifecycle {
  /** Registers how to stop a part that has just been started. */
  onStop(name: string, stop: () => void | Promise<void>): void;
  /** Starts a part and registers its end. A part that cannot start is stopped with the others. */
  run(name: string, part: Part): Promise<void>;
  /** Stops everything; a stop that fails or takes longer than `graceMs` does not block the others. */
  stop(options: { readonly graceMs: number }): Promise<void>;
}

export interface Part {
  start?(): void | Promise<void>;
  stop(): void | Promise<void>;
}

export function createLifecycle(log: Log): Lifecycle {
  const stops: { name: string; stop: () => void | Promise<void> }[] = [];
  let stopping: Promise<void> | null = null;

  async function stopAll(graceMs: number): Promise<void> {
    for (const { name, stop } of stops.toReversed()) {
      const startedAt = performance.now();
      try {
        const stopped = Promise.resolve(stop()).then(() => true);
        if ((await within(stopped, graceMs)) === null) {
          throw new Error(`Not stopped within ${graceMs} ms`);
        }
      } catch (error) {
        log.error({ part: name, err: error }, 'Cannot stop a part cleanly');
      }
      log.debug({ part: name, ms: Math.round(performance.now() - startedAt) }, 'Stopped a part');
    }
  }

  return {
    onStop(name, stop) {
      stops.push({ name, stop });
    },
    async run(name, part) {
      stops.push({ name, stop: () => part.stop() });
      await part.start?.();
    },
    stop({ graceMs }) {
      stopping ??= stopAll(graceMs);
      return stopping;
    },
  };
}

/** A notice from parts created early to parts created later. */
export interface Signal<Notice extends readonly unknown[] = []> {
  on(listener: (...notice: Notice) => void): void;
  /** Settles with the next notice. */
  next(): Promise<void>;
  /** Calls the listeners, in the order of their registration. */
  readonly emit: (...notice: Notice) => void;
}

export function createSignal<Notice extends readonly unknown[] = []>(): Signal<Notice> {
  const listeners: ((...notice: Notice) => void)[] = [];
  const waiting: (() => void)[] = [];
  return {
    on: (listener) => void listeners.push(listener),
    next: () => new Promise((resolve) => waiting.push(resolve)),
    emit(...notice) {
      for (const resolve of waiting.splice(0)) resolve();
      for (const listener of listeners) listener(...notice);
    },
  };
}

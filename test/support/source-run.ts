import type { SourceEvent, PollerMemory } from '../../src/core/source-event.ts';

/** What a source remembers, in memory. */
export function sourceMemory(
  value: unknown = null,
): PollerMemory & { readonly value: () => unknown } {
  let kept = value;
  return {
    value: () => kept,
    read: () => Promise.resolve(kept),
    write: (next) => {
      kept = next;
      return Promise.resolve();
    },
  };
}

/** Gathers what a source raises, once for each id, as the store does. */
export function raisedEvents(): {
  readonly raise: (event: SourceEvent) => Promise<void>;
  readonly events: readonly SourceEvent[];
} {
  const events: SourceEvent[] = [];
  return {
    events,
    raise: (event) => {
      if (!events.some(({ id }) => id === event.id)) events.push(event);
      return Promise.resolve();
    },
  };
}

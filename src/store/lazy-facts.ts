import type { Query } from './query.ts';

/** Thrown through a synchronous function that asks for a fact which its database answers later. */
class MissingFact extends Error {
  override readonly name = 'MissingFact';
  load: () => Query<void> = () => [];
}

/** The only one, because the stack of each would cost more than many a decision; it is caught before the next is thrown. */
const missing = new MissingFact('A fact is not loaded yet');

function need(load: () => Query<void>): never {
  missing.load = load;
  throw missing;
}

/**
 * A stored fact for a synchronous function, which must be called through `withFacts`: decisions are pure functions, and
 * most need few of the facts that they may ask for. Its answer holds until the end of the query.
 */
export function fact<Args extends readonly (string | number | null)[], Result>(
  query: (...args: Args) => Query<Result>,
): (...args: Args) => Result {
  let known: Map<string, { readonly value: Result }> | null = null;
  return (...args) => {
    const found = known?.get(args.join('\0'));
    if (found !== undefined) return found.value;
    const steps = query(...args)[Symbol.iterator]();
    const step = steps.next();
    if (step.done === true) return step.value;
    return need(function* load() {
      known ??= new Map();
      known.set(args.join('\0'), { value: yield* query(...args) });
    });
  };
}

/** Calls a pure function, again after each fact that had to be loaded. */
export function* withFacts<Result>(decide: () => Result): Query<Result> {
  for (;;) {
    try {
      return decide();
    } catch (error) {
      if (error !== missing) throw error;
    }
    yield* missing.load();
  }
}

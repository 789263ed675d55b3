/**
 * The cursors given out so far. One that was never given out, or was given out for other parameters, is unknown: a
 * client that makes its own, or changes the question in the middle of a walk, is found out.
 */
export interface Cursors {
  /** @param scope the question the cursor continues */
  issue(scope: string, cursor: string, position: number): void;
  positionOf(scope: string, cursor: string): number | undefined;
  /** All cursors of a question, oldest first. */
  issued(scope: string): readonly string[];
}

export function createCursors(): Cursors {
  const known = new Map<string, Map<string, number>>();
  return {
    issue(scope, cursor, position) {
      const positions = known.get(scope) ?? new Map<string, number>();
      positions.set(cursor, position);
      known.set(scope, positions);
    },
    positionOf: (scope, cursor) => known.get(scope)?.get(cursor),
    issued: (scope) => [...(known.get(scope)?.keys() ?? [])],
  };
}

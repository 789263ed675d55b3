/**
 * Where parts say what they do: fields first, then one constant sentence, so that entries can be counted and searched.
 * Shaped like pino, which the daemon passes in.
 */
export interface Log {
  debug(fields: object, sentence: string): void;
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}

function nothing(): void {}

/** Says nothing: the default where nobody listens. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

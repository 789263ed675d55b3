import type { Clock } from './time.ts';

/** The same warning is written at most once in this time, ms. */
const EVERY_MS = 60_000;

/** Writes each warning once a minute, so that nothing floods the log; counts the omitted ones. */
export function limitWarnings(log: Log, now: Clock): Log {
  const written = new Map<string, { at: number; suppressed: number }>();
  return {
    debug: (fields, sentence) => log.debug(fields, sentence),
    info: (fields, sentence) => log.info(fields, sentence),
    error: (fields, sentence) => log.error(fields, sentence),
    warn(fields, sentence) {
      const last = written.get(sentence);
      const at = now();
      // A clock that was set back must not keep the log silent.
      if (last !== undefined && Math.abs(at - last.at) < EVERY_MS) {
        last.suppressed += 1;
        return;
      }
      written.set(sentence, { at, suppressed: 0 });
      const suppressed = last?.suppressed ?? 0;
      log.warn(suppressed === 0 ? fields : { ...fields, suppressed }, sentence);
    },
  };
}

/** Fields first, then one constant sentence to count and search. Shaped like pino. */
export interface Log {
  debug(fields: object, sentence: string): void;
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}

function nothing(): void {}

/** Discards everything: the default. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

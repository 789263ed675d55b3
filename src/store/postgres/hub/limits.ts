import type { Connection, Query } from '../../query.ts';
import { CLOCK } from './admission.ts';

/** A token bucket that all processes share. */
export interface Bucket {
  readonly name: string;
  readonly burst: number;
  /** One more token after this long, ms. */
  readonly everyMs: number;
}

/** What the bucket holds by now. */
const TOKENS =
  'least(?2::bigint, held.tokens + greatest(0, excluded.counted_at - held.counted_at) / ?3::double precision)';

/** Takes a token in one statement, by the clock of the database. Returns false if there is none. */
export function* takeToken(
  connection: Connection,
  { name, burst, everyMs }: Bucket,
): Query<boolean> {
  const taken = yield* connection.run(
    `WITH now AS (SELECT ${CLOCK} AS at)
    INSERT INTO limits AS held (name, tokens, counted_at) SELECT ?1, ?2::bigint - 1, at FROM now
    ON CONFLICT (name) DO UPDATE SET
      tokens = ${TOKENS} - 1, counted_at = excluded.counted_at
    WHERE ${TOKENS} >= 1`,
    name,
    burst,
    everyMs,
  );
  return taken === 1;
}

/** Buckets with this beginning of their names that were not used for an hour, and are full again. */
export function forgetBuckets(connection: Connection, beginning: string): Query<number> {
  return connection.run(
    `DELETE FROM limits WHERE starts_with(name, ?) AND counted_at < ${CLOCK} - 3600000`,
    beginning,
  );
}

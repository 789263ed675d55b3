/**
 * Plans that stay right while a backlog grows. The server keeps the plan of a statement, also one that it made when the
 * tables were almost empty and every index seemed as good as another: here, with 6,000 messages waiting for a channel, it
 * read all of them for each that was sent. So what is next in a session is asked for in words that only its index suits, and
 * what a channel claims next in others, that only `deliveries_ready` suits. Sessions of this machine, of which a hub has
 * few or none, have an index of their own.
 */
export const steadyPlans = `
DROP INDEX deliveries_next;
CREATE INDEX deliveries_next ON deliveries (session_key, channel) WHERE is_next + 0 = 1;
CREATE INDEX sessions_here ON sessions (state) WHERE machine IS NULL;

-- The caller holds the locks of the sessions.
CREATE OR REPLACE FUNCTION requeue(channels text[], keys text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  heads bigint[];
  found bigint[];
BEGIN
  SELECT array_agg((
    SELECT seq FROM deliveries AS queued
    WHERE queued.channel = place.channel AND queued.session_key = place.key
      AND queued.state IN ('pending', 'retrying') AND queued.held_for IS NULL
    ORDER BY queued.turn, queued.due_at, queued.seq LIMIT 1
  ) ORDER BY place.number) INTO heads
  FROM unnest(channels, keys) WITH ORDINALITY AS place (channel, key, number);

  SELECT array_agg((
    SELECT min(next.seq + 0) FROM deliveries AS next
    WHERE next.session_key = place.key AND next.channel = place.channel AND next.is_next + 0 = 1
      AND next.seq IS DISTINCT FROM place.head
  )) INTO found
  FROM unnest(channels, keys, heads) AS place (channel, key, head);
  found := array_remove(found, NULL);
  IF cardinality(found) > 0 THEN UPDATE deliveries SET is_next = 0 WHERE seq = ANY (found); END IF;

  SELECT array_agg(seq) INTO found FROM deliveries WHERE seq = ANY (heads) AND is_next = 0;
  IF found IS NOT NULL THEN UPDATE deliveries SET is_next = 1 WHERE seq = ANY (found); END IF;
END $$;
`;

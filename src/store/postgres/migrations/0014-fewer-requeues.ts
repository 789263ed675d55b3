/**
 * The triggers that keep `is_next` write only where it changes, because even an update of no row runs the triggers of
 * its statement. They do nothing for the claim of a delivery that is next, because it stays so.
 */
export const fewerRequeues = `
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
    SELECT min(seq) FROM deliveries AS next
    WHERE next.channel = place.channel AND next.session_key = place.key AND next.is_next = 1
      AND next.seq IS DISTINCT FROM place.head
  )) INTO found
  FROM unnest(channels, keys, heads) AS place (channel, key, head);
  found := array_remove(found, NULL);
  IF cardinality(found) > 0 THEN UPDATE deliveries SET is_next = 0 WHERE seq = ANY (found); END IF;

  SELECT array_agg(seq) INTO found FROM deliveries WHERE seq = ANY (heads) AND is_next = 0;
  IF found IS NOT NULL THEN UPDATE deliveries SET is_next = 1 WHERE seq = ANY (found); END IF;
END $$;

CREATE OR REPLACE FUNCTION queue_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  channels text[];
  keys text[];
  is_due boolean;
BEGIN
  SELECT array_agg(channel), array_agg(session_key), bool_or(due) INTO channels, keys, is_due FROM (
    SELECT added.channel, added.session_key, bool_or(
      added.state IN ('pending', 'retrying') AND added.claimed_until IS NULL AND removed.claimed_until IS NULL
      AND (added.due_at < removed.due_at OR added.held_for IS DISTINCT FROM removed.held_for)
    ) AS due
    FROM added JOIN removed USING (seq)
    WHERE (added.state <> removed.state OR added.due_at <> removed.due_at
        OR added.claimed_until IS DISTINCT FROM removed.claimed_until
        OR added.held_for IS DISTINCT FROM removed.held_for)
      AND (removed.held_for IS NULL OR added.held_for IS NULL OR added.due_at < removed.due_at
        OR added.held_for <> removed.held_for)
      AND NOT (removed.is_next = 0 AND added.state NOT IN ('pending', 'retrying'))
      AND NOT (removed.is_next = 1 AND added.is_next = 1 AND added.claimed_until IS NOT NULL
        AND added.state = removed.state AND added.due_at = removed.due_at
        AND added.held_for IS NOT DISTINCT FROM removed.held_for)
    GROUP BY added.channel, added.session_key
  ) AS places;
  IF channels IS NOT NULL THEN PERFORM requeue(channels, keys); END IF;
  IF is_due THEN PERFORM pg_notify('hookbell', current_schema()); END IF;
  RETURN NULL;
END $$;
`;

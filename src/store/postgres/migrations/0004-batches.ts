/**
 * Triggers that run once for a statement, which may concern many rows. A delivery that is the only one of its session in
 * a channel is next from the start, and one that was sent no longer: else each would be written twice.
 */
export const batches = `
CREATE FUNCTION count_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_counter('event', '', count(*)) FROM added HAVING count(*) > 0;
  ELSE
    PERFORM add_to_counter('event', '', -count(*)) FROM removed HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER count_event ON events;
DROP FUNCTION count_event();
CREATE TRIGGER count_added AFTER INSERT ON events
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_events();
CREATE TRIGGER count_removed AFTER DELETE ON events
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_events();

CREATE FUNCTION count_states() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_counter(TG_ARGV[0], state, count(*)) FROM added GROUP BY state ORDER BY state;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM add_to_counter(TG_ARGV[0], state, -count(*)) FROM removed GROUP BY state ORDER BY state;
  ELSE
    PERFORM add_to_counter(TG_ARGV[0], state, sum(change)::bigint)
    FROM (SELECT state, 1 AS change FROM added UNION ALL SELECT state, -1 FROM removed) AS changes
    GROUP BY state HAVING sum(change) <> 0 ORDER BY state;
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER count_session ON sessions;
DROP TRIGGER recount_session ON sessions;
DROP TRIGGER count_delivery ON deliveries;
DROP TRIGGER recount_delivery ON deliveries;
DROP FUNCTION count_state();
CREATE TRIGGER count_added AFTER INSERT ON sessions
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_states('session');
CREATE TRIGGER count_changed AFTER UPDATE ON sessions
  REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_states('session');
CREATE TRIGGER count_removed AFTER DELETE ON sessions
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_states('session');
CREATE TRIGGER count_added AFTER INSERT ON deliveries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_states('delivery');
CREATE TRIGGER count_changed AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_states('delivery');
CREATE TRIGGER count_removed AFTER DELETE ON deliveries
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_states('delivery');

CREATE FUNCTION first_in_queue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM deliveries
    WHERE channel = new.channel AND session_key = new.session_key
      AND state IN ('pending', 'retrying') AND held_for IS NULL
  ) THEN
    new.is_next := 1;
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER first_in_queue BEFORE INSERT ON deliveries
  FOR EACH ROW WHEN (new.held_for IS NULL AND new.state IN ('pending', 'retrying'))
  EXECUTE FUNCTION first_in_queue();

CREATE OR REPLACE FUNCTION own_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.claimed_by := CASE WHEN new.claimed_until IS NOT NULL THEN current_setting('application_name') END;
  IF new.state NOT IN ('pending', 'retrying') THEN
    new.is_next := 0;
  END IF;
  RETURN new;
END $$;

-- The caller holds the locks of the sessions.
CREATE FUNCTION requeue(channels text[], keys text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE deliveries SET is_next = 0
  FROM (
    SELECT place.channel, place.key, (
      SELECT seq FROM deliveries AS queued
      WHERE queued.channel = place.channel AND queued.session_key = place.key
        AND queued.state IN ('pending', 'retrying') AND queued.held_for IS NULL
      ORDER BY queued.turn, queued.due_at, queued.seq LIMIT 1
    ) AS head
    FROM unnest(channels, keys) AS place (channel, key)
  ) AS queue
  WHERE deliveries.channel = queue.channel AND deliveries.session_key = queue.key
    AND deliveries.is_next = 1 AND deliveries.seq IS DISTINCT FROM queue.head;
  UPDATE deliveries SET is_next = 1
  WHERE is_next = 0 AND seq IN (
    SELECT (
      SELECT seq FROM deliveries AS queued
      WHERE queued.channel = place.channel AND queued.session_key = place.key
        AND queued.state IN ('pending', 'retrying') AND queued.held_for IS NULL
      ORDER BY queued.turn, queued.due_at, queued.seq LIMIT 1
    )
    FROM unnest(channels, keys) AS place (channel, key)
  );
END $$;

CREATE FUNCTION queue_added() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  channels text[];
  keys text[];
BEGIN
  SELECT array_agg(channel), array_agg(session_key) INTO channels, keys FROM (
    SELECT DISTINCT channel, session_key FROM added
    WHERE is_next = 0 AND held_for IS NULL AND state IN ('pending', 'retrying')
  ) AS places;
  IF channels IS NOT NULL THEN PERFORM requeue(channels, keys); END IF;
  IF EXISTS (SELECT 1 FROM added WHERE state = 'pending') THEN
    PERFORM pg_notify('hookbell', current_schema());
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION queue_changed() RETURNS trigger LANGUAGE plpgsql AS $$
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
    GROUP BY added.channel, added.session_key
  ) AS places;
  IF channels IS NOT NULL THEN PERFORM requeue(channels, keys); END IF;
  IF is_due THEN PERFORM pg_notify('hookbell', current_schema()); END IF;
  RETURN NULL;
END $$;
DROP TRIGGER queue_delivery ON deliveries;
DROP TRIGGER requeue_delivery ON deliveries;
DROP FUNCTION queue_delivery();
DROP TRIGGER notify_of_delivery ON deliveries;
DROP TRIGGER notify_of_due ON deliveries;
CREATE TRIGGER queue_added AFTER INSERT ON deliveries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION queue_added();
CREATE TRIGGER queue_changed AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION queue_changed();
`;

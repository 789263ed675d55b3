/**
 * What triggers do on SQLite, and what only a server needs: counters without a row that every transaction would wait for,
 * the owner of a claim, one count of time for all processes, and a notification of new work.
 *
 * Where they can, they run once for a statement, which may concern many rows. Those that keep `is_next` write only where it
 * changes, because even an update of no row runs the triggers of its statement, and do nothing for the claim of a delivery
 * that is next, because it stays so.
 */
export const serverTriggers = `
-- One row per connection and state: two transactions of one connection never overlap.
CREATE TABLE counter_shards (
  thing text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  shard bigint NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (thing, state, shard)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE VIEW counters AS
  SELECT thing, state, sum(count)::bigint AS count FROM counter_shards GROUP BY thing, state;
-- Events are counted by a trigger.
CREATE RULE counted_elsewhere AS ON UPDATE TO counters DO INSTEAD NOTHING;

CREATE FUNCTION add_to_counter(counted text, its_state text, change bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO counter_shards AS counter VALUES (counted, its_state, pg_backend_pid() % 256, change)
  ON CONFLICT (thing, state, shard) DO UPDATE SET count = counter.count + excluded.count
$$;

CREATE FUNCTION count_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_counter('event', '', count(*)) FROM added HAVING count(*) > 0;
  ELSE
    PERFORM add_to_counter('event', '', -count(*)) FROM removed HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;
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

CREATE FUNCTION suppress_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE events SET suppressed = 1 WHERE id = new.event_id AND suppressed = 0 AND NOT EXISTS (
    SELECT 1 FROM deliveries
    WHERE event_id = new.event_id AND channel <> 'inbox' AND (state <> 'cancelled' OR told_by IS NOT NULL)
  );
  RETURN NULL;
END $$;
CREATE TRIGGER suppress_event AFTER UPDATE OF state, told_by ON deliveries
  FOR EACH ROW WHEN (new.state = 'cancelled' AND new.told_by IS NULL) EXECUTE FUNCTION suppress_event();

CREATE FUNCTION unsuppress_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE events SET suppressed = 0 WHERE id = new.event_id AND suppressed = 1;
  RETURN NULL;
END $$;
CREATE TRIGGER unsuppress_event AFTER UPDATE OF state ON deliveries
  FOR EACH ROW WHEN (new.state <> 'cancelled' AND old.state = 'cancelled' AND new.channel <> 'inbox')
  EXECUTE FUNCTION unsuppress_event();

CREATE FUNCTION hold_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE deliveries SET state = 'pending', held_for = 'burst', told_by = NULL, reason = NULL
  WHERE told_by = new.id;
  RETURN NULL;
END $$;
CREATE TRIGGER hold_again AFTER UPDATE OF state ON deliveries
  FOR EACH ROW WHEN (new.state = 'cancelled' AND old.state <> 'cancelled') EXECUTE FUNCTION hold_again();

-- A delivery that is the only one of its session in a channel is next from the start, and one that was sent no longer: else
-- each would be written twice.
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

CREATE FUNCTION own_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.claimed_by := CASE WHEN new.claimed_until IS NOT NULL THEN current_setting('application_name') END;
  IF new.state NOT IN ('pending', 'retrying') THEN
    new.is_next := 0;
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER own_claim BEFORE UPDATE OF claimed_until ON deliveries
  FOR EACH ROW EXECUTE FUNCTION own_claim();

-- The caller holds the locks of the sessions.
CREATE FUNCTION requeue(channels text[], keys text[]) RETURNS void LANGUAGE plpgsql AS $$
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
      AND NOT (removed.is_next = 1 AND added.is_next = 1 AND added.claimed_until IS NOT NULL
        AND added.state = removed.state AND added.due_at = removed.due_at
        AND added.held_for IS NOT DISTINCT FROM removed.held_for)
    GROUP BY added.channel, added.session_key
  ) AS places;
  IF channels IS NOT NULL THEN PERFORM requeue(channels, keys); END IF;
  IF is_due THEN PERFORM pg_notify('hookbell', current_schema()); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER queue_added AFTER INSERT ON deliveries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION queue_added();
CREATE TRIGGER queue_changed AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION queue_changed();

-- Time that several processes count is counted once.
CREATE FUNCTION count_awake_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF old.awake_by <> current_setting('application_name') THEN
    new.awake_ms := old.awake_ms + greatest(0, least(
      new.awake_ms - old.awake_ms,
      (extract(epoch FROM clock_timestamp() - old.awake_at) * 1000)::bigint
    ));
  END IF;
  new.awake_at := clock_timestamp();
  new.awake_by := current_setting('application_name');
  RETURN new;
END $$;
CREATE TRIGGER count_awake_time BEFORE UPDATE OF awake_ms ON clock
  FOR EACH ROW EXECUTE FUNCTION count_awake_time();

-- A transaction sends the same notification once.
CREATE FUNCTION notify_of_work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('hookbell', current_schema());
  RETURN NULL;
END $$;

-- Null for a text that is not JSON, or for a member that a text cannot hold.
CREATE FUNCTION text_in_json(document text, member text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN document::json ->> member;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END $$;
`;

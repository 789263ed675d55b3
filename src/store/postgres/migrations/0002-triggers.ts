/**
 * What triggers do on SQLite, and what only a server needs: counters without a row that every transaction would wait for,
 * the owner of a claim, one count of time for all processes, and a notification of new work.
 */
export const triggers = `
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

CREATE FUNCTION count_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_to_counter('event', '', CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END);
  RETURN NULL;
END $$;
CREATE TRIGGER count_event AFTER INSERT OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION count_event();

CREATE FUNCTION count_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM add_to_counter(TG_ARGV[0], old.state, -1); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM add_to_counter(TG_ARGV[0], new.state, 1); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_session AFTER INSERT OR DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION count_state('session');
CREATE TRIGGER recount_session AFTER UPDATE OF state ON sessions
  FOR EACH ROW WHEN (new.state <> old.state) EXECUTE FUNCTION count_state('session');
CREATE TRIGGER count_delivery AFTER INSERT OR DELETE ON deliveries
  FOR EACH ROW EXECUTE FUNCTION count_state('delivery');
CREATE TRIGGER recount_delivery AFTER UPDATE OF state ON deliveries
  FOR EACH ROW WHEN (new.state <> old.state) EXECUTE FUNCTION count_state('delivery');

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

-- The caller holds the lock of the session.
CREATE FUNCTION queue_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  head bigint;
BEGIN
  SELECT seq INTO head FROM deliveries
  WHERE channel = new.channel AND session_key = new.session_key
    AND state IN ('pending', 'retrying') AND held_for IS NULL
  ORDER BY turn, due_at, seq LIMIT 1;
  UPDATE deliveries SET is_next = 0
  WHERE channel = new.channel AND session_key = new.session_key AND is_next = 1
    AND seq IS DISTINCT FROM head;
  UPDATE deliveries SET is_next = 1 WHERE seq = head AND is_next = 0;
  RETURN NULL;
END $$;
CREATE TRIGGER queue_delivery AFTER INSERT ON deliveries
  FOR EACH ROW WHEN (new.held_for IS NULL AND new.state IN ('pending', 'retrying'))
  EXECUTE FUNCTION queue_delivery();
CREATE TRIGGER requeue_delivery AFTER UPDATE OF state, due_at, claimed_until, held_for ON deliveries
  FOR EACH ROW WHEN (
    (old.held_for IS NULL OR new.held_for IS NULL)
    AND NOT (old.is_next = 0 AND new.state NOT IN ('pending', 'retrying'))
  ) EXECUTE FUNCTION queue_delivery();

CREATE FUNCTION own_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.claimed_by := CASE WHEN new.claimed_until IS NOT NULL THEN current_setting('application_name') END;
  RETURN new;
END $$;
CREATE TRIGGER own_claim BEFORE UPDATE OF claimed_until ON deliveries
  FOR EACH ROW EXECUTE FUNCTION own_claim();

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
CREATE TRIGGER notify_of_delivery AFTER INSERT ON deliveries
  FOR EACH ROW WHEN (new.state = 'pending') EXECUTE FUNCTION notify_of_work();
CREATE TRIGGER notify_of_due AFTER UPDATE OF due_at, held_for ON deliveries
  FOR EACH ROW WHEN (
    new.state IN ('pending', 'retrying') AND new.claimed_until IS NULL AND old.claimed_until IS NULL
    AND (new.due_at < old.due_at OR new.held_for IS DISTINCT FROM old.held_for)
  ) EXECUTE FUNCTION notify_of_work();

-- Null for a text that is no JSON, or for a member that no text can hold.
CREATE FUNCTION text_in_json(document text, member text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN document::json ->> member;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END $$;
`;

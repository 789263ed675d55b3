/** The longest pause that a channel can ask for, ms: a later end of one is a clock that was wrong. */
const LONGEST_PAUSE_MS = 86_400_000;

/** Limits of channels that hold across processes, by the clock of the database. */
export const limits = `
-- How many messages a channel may send now, of those wanted, and if none, how long it has to wait. Fewer than none: they
-- were not sent, and may be sent later.
CREATE FUNCTION take_tokens(
  its_channel text, burst bigint, refill_ms bigint, wanted bigint, OUT granted bigint, OUT wait_ms bigint
) LANGUAGE plpgsql AS $$
DECLARE
  its_name text := 'channel ' || its_channel;
  at bigint;
  since bigint;
  paused_until bigint;
  filled double precision;
BEGIN
  INSERT INTO limits VALUES (its_name, burst, 0) ON CONFLICT (name) DO NOTHING;
  SELECT tokens, counted_at INTO filled, since FROM limits WHERE name = its_name FOR UPDATE;
  at := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  SELECT greatest(not_before, CASE WHEN circuit = 'open' THEN coalesce(open_until, 0) ELSE 0 END)
    INTO paused_until FROM channel_states WHERE channel = its_channel;
  IF wanted > 0 AND paused_until > at AND paused_until <= at + ${LONGEST_PAUSE_MS} THEN
    granted := 0;
    wait_ms := paused_until - at;
    RETURN;
  END IF;
  IF refill_ms = 0 THEN
    granted := wanted;
    wait_ms := 0;
    RETURN;
  END IF;
  filled := least(burst, filled + greatest(0, at - since)::double precision / refill_ms);
  granted := least(wanted, greatest(0, floor(filled)::bigint));
  filled := filled - granted;
  UPDATE limits SET tokens = filled, counted_at = at WHERE name = its_name;
  wait_ms := CASE WHEN filled >= 1 THEN 0 ELSE ceil((1 - filled) * refill_ms)::bigint END;
END $$;

-- A process that has not heard of a pause yet does not end it.
CREATE FUNCTION keep_pause() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
  IF old.not_before > new.not_before AND old.not_before BETWEEN at AND at + ${LONGEST_PAUSE_MS} THEN
    new.not_before := old.not_before;
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER keep_pause BEFORE UPDATE OF not_before ON channel_states
  FOR EACH ROW EXECUTE FUNCTION keep_pause();
`;

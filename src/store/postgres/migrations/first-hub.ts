import { TEXT } from './first-tables.ts';

/**
 * The tables of a hub, which only a server has.
 *
 * Codes and keys are stored as hashes. Rows of machines and people stay when they are revoked or removed, so that a name
 * always means the same one.
 */
export const hubTables = `
CREATE TABLE people (
  email ${TEXT} PRIMARY KEY,
  -- Names the person in the audit, which keeps no address.
  id ${TEXT} NOT NULL UNIQUE DEFAULT replace(gen_random_uuid()::text, '-', ''),
  name ${TEXT},
  team ${TEXT},
  -- JSON: what the person has set.
  settings ${TEXT} NOT NULL DEFAULT '{}',
  source ${TEXT} NOT NULL,
  added_at bigint NOT NULL,
  removed_at bigint,
  -- The source of the import that no longer had the person, who comes back with it; null: by hand, or not removed.
  removed_by ${TEXT}
);

CREATE TABLE machines (
  name ${TEXT} PRIMARY KEY,
  person ${TEXT} NOT NULL REFERENCES people (email),
  -- The hash of its token, with which it signs.
  key ${TEXT} NOT NULL,
  enrolled_at bigint NOT NULL,
  heard_at bigint,
  revoked_at bigint
);
CREATE INDEX machines_by_person ON machines (person);

-- Grows with each change of people and machines but the time at which one was heard, so that a reader knows what it has.
CREATE TABLE directory_version (version bigint NOT NULL);
INSERT INTO directory_version VALUES (1);
CREATE FUNCTION change_directory() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE directory_version SET version = version + 1;
  PERFORM pg_notify('hookbell', current_schema());
  RETURN NULL;
END $$;
CREATE TRIGGER people_change AFTER INSERT OR UPDATE OR DELETE ON people
  FOR EACH STATEMENT EXECUTE FUNCTION change_directory();
CREATE TRIGGER machines_change AFTER INSERT OR DELETE OR UPDATE OF name, person, key, revoked_at ON machines
  FOR EACH STATEMENT EXECUTE FUNCTION change_directory();

CREATE TABLE invitations (
  code_hash ${TEXT} PRIMARY KEY,
  person ${TEXT} NOT NULL REFERENCES people (email),
  made_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  used_at bigint
);

-- Each signed request counts once, whichever process gets it.
CREATE TABLE nonces (
  machine ${TEXT} NOT NULL,
  nonce ${TEXT} NOT NULL,
  used_at bigint NOT NULL,
  PRIMARY KEY (machine, nonce)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX nonces_by_time ON nonces (used_at);

-- Token buckets that all processes share.
CREATE TABLE limits (
  name ${TEXT} PRIMARY KEY,
  tokens double precision NOT NULL,
  counted_at bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Append-only: each row carries a hash of itself and of the row before it.
CREATE TABLE audit (
  seq bigint PRIMARY KEY,
  at bigint NOT NULL,
  actor ${TEXT} NOT NULL,
  action ${TEXT} NOT NULL,
  target ${TEXT},
  detail ${TEXT} NOT NULL,
  hash ${TEXT} NOT NULL
);
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit is append-only';
END $$;
CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What the hub asks of machines: each change is a new version.
CREATE TABLE machine_policies (
  version bigint PRIMARY KEY,
  body ${TEXT} NOT NULL,
  made_at bigint NOT NULL
);

CREATE FUNCTION own_question() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.claimed_by := current_setting('application_name');
  RETURN new;
END $$;
CREATE TRIGGER own_question BEFORE INSERT ON questions
  FOR EACH ROW WHEN (new.machine IS NULL) EXECUTE FUNCTION own_question();
CREATE TRIGGER announce_question AFTER INSERT OR UPDATE ON questions
  FOR EACH ROW WHEN (new.machine IS NOT NULL) EXECUTE FUNCTION notify_of_work();

-- Answers of people on their way to the machine whose hook waits. Removed when it says what became of them.
CREATE TABLE answers_under_way (
  question_id ${TEXT} PRIMARY KEY REFERENCES questions (id) ON DELETE CASCADE,
  -- Distinguishes it from an earlier answer to the same question, which the machine refused.
  answer_id ${TEXT} NOT NULL,
  machine ${TEXT} NOT NULL,
  body ${TEXT} NOT NULL,
  given_at bigint NOT NULL,
  -- When it was first handed to the machine.
  handed_at bigint
);
CREATE INDEX answers_by_machine ON answers_under_way (machine);
CREATE INDEX answers_by_time ON answers_under_way (given_at);
CREATE TRIGGER announce_answer AFTER INSERT ON answers_under_way
  FOR EACH ROW EXECUTE FUNCTION notify_of_work();

-- What a hub forbids its machines: the latest row is in force, the earlier ones say what was.
CREATE TABLE policies (
  -- When it was set, by the clock of the database, Unix ms.
  version bigint PRIMARY KEY,
  -- JSON.
  body text NOT NULL
);
CREATE TRIGGER policies_change AFTER INSERT ON policies
  FOR EACH STATEMENT EXECUTE FUNCTION change_directory();

-- When each process of a hub has last shown that it can write.
CREATE TABLE heartbeats (
  process text PRIMARY KEY,
  at timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- By which secret the keys of machines are sealed; without a row they are not.
CREATE TABLE key_seal (
  id bigint PRIMARY KEY CHECK (id = 1),
  -- A known text, sealed as the keys are.
  known text NOT NULL,
  sealed_at timestamptz NOT NULL DEFAULT now()
);

-- What each process of a hub is configured with, as hashes, so that the others notice when it differs.
CREATE TABLE process_configs (
  -- Its application_name.
  process text PRIMARY KEY,
  host text NOT NULL,
  -- Of hookbell: the defaults of another one may be others.
  program text NOT NULL,
  -- JSON: a hash by the name of the section.
  hashes text NOT NULL,
  -- JSON: the known text of key_seal, sealed with each secret that it has, so that the keys are sealed with a new one when
  -- all processes have it. NULL: a process of a version that has one at most.
  proofs text
);

-- What the erasure of a person has removed so far, for the case that it is interrupted.
CREATE TABLE erasures (
  person ${TEXT} PRIMARY KEY REFERENCES people (email) ON DELETE CASCADE,
  sessions bigint NOT NULL DEFAULT 0,
  events bigint NOT NULL DEFAULT 0,
  deliveries bigint NOT NULL DEFAULT 0,
  texts bigint NOT NULL DEFAULT 0
);
`;

/** The longest pause that a channel can ask for, ms: a later end of one is a clock that was wrong. */
const LONGEST_PAUSE_MS = 86_400_000;

/** Limits of channels that hold across processes, by the clock of the database. */
export const channelLimits = `
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

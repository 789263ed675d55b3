/** Compares by code points, as SQLite does, whatever the collation of the database is. */
const TEXT = 'text COLLATE "C"';

/**
 * The tables of a hub, which only a server has, and what migration 19 adds on SQLite.
 *
 * Codes and keys are stored as hashes. Rows of machines and people stay when they are revoked or removed, so that a name
 * always means the same one.
 */
export const hub = `
ALTER TABLE deliveries ADD COLUMN recipient ${TEXT};
ALTER TABLE mutes ADD COLUMN person ${TEXT};
CREATE INDEX deliveries_settling ON deliveries (session_key) WHERE held_for = 'settle';

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
  removed_at bigint
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

-- A question belongs to the process whose hook waits for the answer, or to the machine that reported it.
ALTER TABLE questions ADD COLUMN claimed_by ${TEXT};
ALTER TABLE questions ADD COLUMN machine ${TEXT};
-- When the machine first reported it, by the clock there.
ALTER TABLE questions ADD COLUMN reported_at bigint;
CREATE INDEX questions_of_machines ON questions (machine) WHERE machine IS NOT NULL AND closed_at IS NULL;
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
`;

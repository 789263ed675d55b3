/** Held deliveries, expiring alerts, mutes, and withdrawn messages. */
export const alerts = `
ALTER TABLE deliveries ADD COLUMN held_for TEXT;
ALTER TABLE deliveries ADD COLUMN repetition INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN quietly INTEGER NOT NULL DEFAULT 0;
-- When it went into the outbox.
ALTER TABLE deliveries ADD COLUMN released_at INTEGER;
-- The delivery that tells of its event in its stead; this one is cancelled then.
ALTER TABLE deliveries ADD COLUMN told_by TEXT;
-- Why what was shown is over; NULL again once that was handed out.
ALTER TABLE deliveries ADD COLUMN withdraw_reason TEXT;

UPDATE deliveries SET held_for = 'step'
WHERE state = 'pending' AND alert_id IS NOT NULL AND step > 0 AND attempts = 0 AND claimed_until IS NULL;

-- What is held has no turn: nothing of its session waits for it.
DROP TRIGGER queue_delivery;
DROP TRIGGER requeue_delivery;
DROP INDEX deliveries_by_turn;
CREATE INDEX deliveries_by_turn ON deliveries (channel, session_key, turn, due_at)
  WHERE state IN ('pending', 'retrying') AND held_for IS NULL;
CREATE TRIGGER queue_delivery AFTER INSERT ON deliveries WHEN new.held_for IS NULL BEGIN
  UPDATE deliveries SET is_next = 0
  WHERE channel = new.channel AND session_key = new.session_key AND is_next = 1;
  UPDATE deliveries SET is_next = 1 WHERE seq = (
    SELECT seq FROM deliveries
    WHERE channel = new.channel AND session_key = new.session_key
      AND state IN ('pending', 'retrying') AND held_for IS NULL
    ORDER BY turn, due_at, seq LIMIT 1
  );
END;
CREATE TRIGGER requeue_delivery AFTER UPDATE OF state, due_at, claimed_until, held_for ON deliveries
WHEN old.held_for IS NULL OR new.held_for IS NULL BEGIN
  UPDATE deliveries SET is_next = 0
  WHERE channel = new.channel AND session_key = new.session_key AND is_next = 1;
  UPDATE deliveries SET is_next = 1 WHERE seq = (
    SELECT seq FROM deliveries
    WHERE channel = new.channel AND session_key = new.session_key
      AND state IN ('pending', 'retrying') AND held_for IS NULL
    ORDER BY turn, due_at, seq LIMIT 1
  );
END;
UPDATE deliveries SET is_next = 0 WHERE is_next = 1;
UPDATE deliveries SET due_at = due_at WHERE state IN ('pending', 'retrying') AND held_for IS NULL;

CREATE INDEX deliveries_held ON deliveries (due_at) WHERE state = 'pending' AND held_for IS NOT NULL;
CREATE INDEX deliveries_released ON deliveries (channel, released_at) WHERE released_at IS NOT NULL;
CREATE INDEX deliveries_told_by ON deliveries (told_by) WHERE told_by IS NOT NULL;
CREATE INDEX deliveries_by_alert ON deliveries (alert_id) WHERE alert_id IS NOT NULL;
CREATE INDEX deliveries_to_withdraw ON deliveries (channel)
  WHERE withdraw_reason IS NOT NULL AND state = 'sent' AND ref IS NOT NULL;

-- Suppressed: nobody was or will be told, because each delivery was cancelled, and none is told by another one. The inbox
-- is nobody.
DROP TRIGGER suppress_event;
CREATE TRIGGER suppress_event AFTER UPDATE OF state, told_by ON deliveries
WHEN new.state = 'cancelled' AND new.told_by IS NULL BEGIN
  UPDATE events SET suppressed = 1 WHERE id = new.event_id AND NOT EXISTS (
    SELECT 1 FROM deliveries
    WHERE event_id = new.event_id AND channel <> 'inbox' AND (state <> 'cancelled' OR told_by IS NOT NULL)
  );
END;
DROP TRIGGER unsuppress_event;
CREATE TRIGGER unsuppress_event AFTER UPDATE OF state ON deliveries
WHEN new.state <> 'cancelled' AND old.state = 'cancelled' AND new.channel <> 'inbox' BEGIN
  UPDATE events SET suppressed = 0 WHERE id = new.event_id;
END;
-- What was to be told by a delivery that will not be sent has to be decided upon again.
CREATE TRIGGER hold_again AFTER UPDATE OF state ON deliveries
WHEN new.state = 'cancelled' AND old.state <> 'cancelled' BEGIN
  UPDATE deliveries SET state = 'pending', held_for = 'burst', told_by = NULL, reason = NULL
  WHERE told_by = new.id;
END;

ALTER TABLE alerts ADD COLUMN expires_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alerts ADD COLUMN acknowledged_at INTEGER;
UPDATE alerts SET
  expires_at = opened_at + 43200000,
  plan = json_set(plan, '$.steps', json((
    SELECT json_group_array(json_set(step.value, '$.repeat', NULL, '$.condition', NULL))
    FROM json_each(alerts.plan, '$.steps') AS step
  )));
CREATE INDEX alerts_expiring ON alerts (expires_at) WHERE state IN ('open', 'acknowledged');

CREATE TABLE mutes (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  until INTEGER,
  session_key TEXT,
  project TEXT,
  agent TEXT,
  channel TEXT,
  kind TEXT
) STRICT;
CREATE INDEX mutes_by_end ON mutes (until);
`;

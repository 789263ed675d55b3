/**
 * Triggers that write `is_next` only where it changes, and not at all for what is stored as sent: each write moves a row
 * in two indexes, and most changes of a delivery leave the head of its session's queue where it is.
 */
export const turns = `
DROP TRIGGER queue_delivery;
DROP TRIGGER requeue_delivery;
CREATE TRIGGER queue_delivery AFTER INSERT ON deliveries
WHEN new.held_for IS NULL AND new.state IN ('pending', 'retrying') BEGIN
  UPDATE deliveries SET is_next = 0
  WHERE channel = new.channel AND session_key = new.session_key AND is_next = 1 AND seq IS NOT (
    SELECT seq FROM deliveries
    WHERE channel = new.channel AND session_key = new.session_key
      AND state IN ('pending', 'retrying') AND held_for IS NULL
    ORDER BY turn, due_at, seq LIMIT 1
  );
  UPDATE deliveries SET is_next = 1 WHERE is_next = 0 AND seq = (
    SELECT seq FROM deliveries
    WHERE channel = new.channel AND session_key = new.session_key
      AND state IN ('pending', 'retrying') AND held_for IS NULL
    ORDER BY turn, due_at, seq LIMIT 1
  );
END;
CREATE TRIGGER requeue_delivery AFTER UPDATE OF state, due_at, claimed_until, held_for ON deliveries
WHEN old.held_for IS NULL OR new.held_for IS NULL BEGIN
  UPDATE deliveries SET is_next = 0
  WHERE channel = new.channel AND session_key = new.session_key AND is_next = 1 AND seq IS NOT (
    SELECT seq FROM deliveries
    WHERE channel = new.channel AND session_key = new.session_key
      AND state IN ('pending', 'retrying') AND held_for IS NULL
    ORDER BY turn, due_at, seq LIMIT 1
  );
  UPDATE deliveries SET is_next = 1 WHERE is_next = 0 AND seq = (
    SELECT seq FROM deliveries
    WHERE channel = new.channel AND session_key = new.session_key
      AND state IN ('pending', 'retrying') AND held_for IS NULL
    ORDER BY turn, due_at, seq LIMIT 1
  );
END;
`;

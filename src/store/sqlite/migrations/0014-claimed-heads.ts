/**
 * The trigger that keeps `is_next` does not run where it could change nothing, which is with nearly every message of a
 * backlog: one that is claimed behind the claimed head of its session, and one that leaves the queue from behind the head.
 */
export const claimedHeads = `
DROP TRIGGER requeue_delivery;
CREATE TRIGGER requeue_delivery AFTER UPDATE OF state, due_at, claimed_until, held_for ON deliveries
WHEN (old.held_for IS NULL OR new.held_for IS NULL)
  AND NOT (old.is_next = 0 AND new.state NOT IN ('pending', 'retrying'))
  AND NOT (
    old.claimed_until IS NULL AND new.claimed_until IS NOT NULL AND new.state = old.state
    AND new.due_at = old.due_at AND new.held_for IS old.held_for AND EXISTS (
      SELECT 1 FROM deliveries AS head
      WHERE head.channel = new.channel AND head.session_key = new.session_key AND head.is_next = 1
        AND head.claimed_until IS NOT NULL AND (head.due_at, head.seq) <= (new.due_at, new.seq)
    )
  )
BEGIN
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

/** Stores what a decision about a held delivery needs with it, because not every delivery belongs to an alert. */
export const heldConditions = `
ALTER TABLE deliveries ADD COLUMN delay_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN condition TEXT;
UPDATE deliveries SET
  delay_ms = coalesce((
    SELECT json_extract(plan, '$.steps[' || step || '].afterMs') FROM alerts WHERE id = alert_id
  ), 0),
  condition = (
    SELECT json_extract(plan, '$.steps[' || step || '].condition') FROM alerts WHERE id = alert_id
  )
WHERE state = 'pending' AND held_for IS NOT NULL AND alert_id IS NOT NULL;

-- How long the turn took that the event ended.
ALTER TABLE events ADD COLUMN turn_ms INTEGER;
`;

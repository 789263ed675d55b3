/** A delivery may go to one person, and a mute may be one person's: both are of a hub. */
export const people = `
ALTER TABLE deliveries ADD COLUMN recipient TEXT;
ALTER TABLE mutes ADD COLUMN person TEXT;
-- Without it, each answered request would look at every held delivery.
CREATE INDEX deliveries_settling ON deliveries (session_key) WHERE held_for = 'settle';
`;

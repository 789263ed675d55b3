/**
 * Whether a notification is withdrawn because its alert was acknowledged or is over, and withdrawals of messages that may
 * have arrived without a confirmation.
 */
export const acknowledgements = `
ALTER TABLE deliveries ADD COLUMN withdraw_cause TEXT;
DROP INDEX deliveries_to_withdraw;
CREATE INDEX deliveries_to_withdraw ON deliveries (channel)
  WHERE withdraw_reason IS NOT NULL
    AND (state = 'sent' AND ref IS NOT NULL OR state IN ('cancelled', 'dead') AND possible_duplicate = 1);
`;

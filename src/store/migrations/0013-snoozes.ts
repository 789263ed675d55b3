/** Until when a person has snoozed an alert, so that `sessions` can show it. */
export const snoozes = `
ALTER TABLE alerts ADD COLUMN snoozed_until INTEGER;
`;

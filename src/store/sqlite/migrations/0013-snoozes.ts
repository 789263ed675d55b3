/** End of an alert's snooze, so that `sessions` can show it. */
export const snoozes = `
ALTER TABLE alerts ADD COLUMN snoozed_until INTEGER;
`;

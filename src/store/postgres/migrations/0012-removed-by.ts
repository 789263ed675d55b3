/** Who was removed because an import no longer had them comes back with it; who was removed by hand does not. */
export const removedBy = `
-- The source of the import; null: by hand, or not removed.
ALTER TABLE people ADD COLUMN removed_by text COLLATE "C";
`;

/** Shows which secrets each process of a hub has, so that the keys are sealed with a new one when all have it. */
export const sealProofs = `
-- JSON: the known text of key_seal, sealed with each of them. NULL: a process of a version that has one at most.
ALTER TABLE process_configs ADD COLUMN proofs text;
`;

/** Says by which secret the keys of machines are sealed; without a row they are not. */
export const keySeal = `
CREATE TABLE key_seal (
  id bigint PRIMARY KEY CHECK (id = 1),
  -- A known text, sealed as the keys are.
  known text NOT NULL,
  sealed_at timestamptz NOT NULL DEFAULT now()
);
`;

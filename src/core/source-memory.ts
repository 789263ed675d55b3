/** What a source keeps from one run to the next and over restarts: one JSON document, never a secret. */
export interface SourceMemory {
  /** Null where there is none, or none that can be read. */
  read(): Promise<unknown>;
  /** In one step: it is never half there. */
  write(value: object): Promise<void>;
}

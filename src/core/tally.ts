/** What hookbell did in a time, from its history: for digests. */
export interface UsageCounters {
  /** Events that came in. */
  readonly events: number;
  /** Messages that arrived, by channel; the inbox is none. */
  readonly sent: Readonly<Record<string, number>>;
  /** How often an agent asked for a permission or an input, and somebody was told. */
  readonly questions: number;
  /** How many of these were answered or acknowledged. */
  readonly answered: number;
  /** From question to answer, ms; in no order. */
  readonly waitsMs: readonly number[];
}

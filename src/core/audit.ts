/**
 * What the books must not show:
 *
 * - `undecided`: an event nobody was told of, without a decision that says why
 * - `without payload`: an event whose payload is gone
 * - `late`: a delivery that was due long ago while nothing keeps its channel from sending
 * - `abandoned`: a delivery that counts as being sent long after that must have ended
 * - `unexplained`: a delivery that was given up or stopped for no reason
 * - `unfinished`: an alert that should have expired long ago
 */
export type AuditProblem =
  | 'undecided'
  | 'without payload'
  | 'late'
  | 'abandoned'
  | 'unexplained'
  | 'unfinished';

export interface AuditFinding {
  readonly problem: AuditProblem;
  readonly count: number;
  /** Ids of the first of them: of events, or of the events of deliveries and alerts. */
  readonly eventIds: readonly string[];
}

/** Whether every accepted event has an end, or a time at which something will come of it. */
export interface Audit {
  /** How many events were looked at: the latest. */
  readonly events: number;
  readonly findings: readonly AuditFinding[];
}

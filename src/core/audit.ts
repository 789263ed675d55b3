/**
 * Problems that an audit looks for:
 *
 * - `undecided`: an event without a delivery and without a decision that gives the reason
 * - `without payload`: an event whose payload is gone
 * - `late`: a delivery that was due long ago although its channel can send
 * - `abandoned`: a delivery still marked as being sent long after its attempt must have ended
 * - `unexplained`: a delivery that was given up or cancelled without a reason
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

/** Whether every accepted event is finished or has a time at which it will be processed. */
export interface Audit {
  /** Number of events checked, the latest ones. */
  readonly events: number;
  readonly findings: readonly AuditFinding[];
}

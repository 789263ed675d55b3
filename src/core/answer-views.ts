/** Answers of the control socket that only their own command prints. */

export interface SnoozeView {
  /** The whole id of the session, or its key where the agent sends no id. */
  readonly session: string;
  readonly until: string;
  /** Channels that notify again then. */
  readonly channels: readonly string[];
}

export interface OpenView {
  /** The whole id of the session, or its key where the agent sends no id. */
  readonly session: string;
  /** Why its terminal could not be brought forward; null where it was. */
  readonly reason: string | null;
}

export interface DigestSentView {
  readonly title: string;
  /** Where it is on its way to. */
  readonly channels: readonly string[];
}

export interface QuarantineView {
  readonly id: string;
  readonly at: string;
  readonly reason: string;
  readonly detail: string;
  readonly bytes: number;
}

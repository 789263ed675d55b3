/** Looking sessions up with the vendor's service, as `status` shows it. */
export interface ApiStateView {
  /** `off`: no address or no key. `paused`: nothing is asked until `until`, because of `reason`. */
  readonly state: 'off' | 'ok' | 'paused';
  readonly until: string | null;
  /** What went wrong last; null while all is well. */
  readonly reason: string | null;
}

/** What the service answers now: of sessions, and of each other part that the configuration needs. */
export interface ApiCheckView {
  readonly state: 'off' | 'ok' | 'failed';
  /** How long the request took; null where there was none. */
  readonly durationMs: number | null;
  readonly reason: string | null;
  /** Usage data, which wants another role than sessions; null where neither `budget` nor `digest` is configured. */
  readonly analytics: ApiPartView | null;
  /** Readiness reports, at an address of their own; null where that is neither configured nor needed. */
  readonly readiness: ApiPartView | null;
}

/** How one part of the vendor's service answered one request. */
export interface ApiPartView {
  readonly state: 'ok' | 'failed';
  readonly durationMs: number;
  /** Null where it is well. */
  readonly reason: string | null;
  /** What the person can do about it; null where nothing is known. */
  readonly hint: string | null;
}

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

export interface RelayView {
  /** As the configuration writes it. */
  readonly to: string;
  /** `starting`: nothing was sent yet. `down`: nobody answers. `refused`: a person has to do something. */
  readonly state: 'starting' | 'ok' | 'down' | 'refused';
  /** What went wrong last; null while all is well. */
  readonly reason: string | null;
  /** When the other machine took something last. */
  readonly lastAt: string | null;
  /** How many events wait to be relayed, and since when. */
  readonly waiting: number;
  readonly waitingSince: string | null;
}

export interface RelayCheckView {
  readonly ok: boolean;
  readonly summary: string;
}

export interface ListenView {
  /** Paths of sockets, and URLs. */
  readonly addresses: readonly string[];
  /** Why it does not listen; null when it does. */
  readonly problem: string | null;
  readonly machines: readonly {
    readonly name: string;
    readonly pairedAt: string;
    /** When it asked something last, since the daemon started. */
    readonly lastSeenAt: string | null;
  }[];
}

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

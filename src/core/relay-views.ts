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

/** How often something is looked at: from `everyMs` while it changes to `atMostMs` while nothing happens. */
export interface Pace {
  readonly everyMs: number;
  /** Not shorter than `everyMs`. */
  readonly atMostMs: number;
}

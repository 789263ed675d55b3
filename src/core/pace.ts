/** How often something is looked at: from `everyMs` while it changes to `atMostMs` while nothing happens. */
export interface PollInterval {
  readonly everyMs: number;
  /** Not shorter than `everyMs`. */
  readonly atMostMs: number;
}

/** How long to wait for the next look. @param beforeMs the wait before this one */
export function nextInterval(
  { everyMs, atMostMs }: PollInterval,
  beforeMs: number,
  seen: 'moving' | 'still',
): number {
  return seen === 'moving' ? everyMs : Math.min(atMostMs, beforeMs * 1.5);
}

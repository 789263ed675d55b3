/**
 * The result of a channel. Expected failures are values: a channel that throws has a bug.
 *
 * `reason` is one short sentence that may be shown and logged: no secret, no URL with a token, no message text.
 */
export type Outcome = Delivered | Retry | Failed;

export interface Delivered {
  readonly type: 'delivered';
  /** The channel's own reference to what it sent, for `update` and `withdraw`. */
  readonly ref?: string;
  /** A note on a success, such as "2 of 3 recipients were refused". */
  readonly note?: string;
}

/** A temporary failure. */
export interface Retry {
  readonly type: 'retry';
  readonly reason: string;
  /** The wait that the remote side requested, ms; it applies to the whole channel. */
  readonly afterMs?: number;
  /** State for the next attempt of this delivery (at most 4 KB), such as the remaining recipients. */
  readonly carry?: string;
  /** The message may have arrived without a confirmation. */
  readonly possibleDuplicate?: boolean;
  /**
   * The channel works, but what it would show is hidden now, such as in "do not disturb": the message is held until the
   * channel works again. `next-step`: the next step of the plan need not wait any longer.
   */
  readonly hidden?: 'hold' | 'next-step';
}

/** A permanent failure: the delivery becomes a dead letter. */
export interface Failed {
  readonly type: 'failed';
  readonly reason: string;
  /** The channel as a whole cannot work (revoked token, unknown webhook): stop using it until it is reconfigured. */
  readonly channelBroken?: boolean;
}

export function delivered(details: Omit<Delivered, 'type'> = {}): Delivered {
  return { type: 'delivered', ...details };
}

export function retry(reason: string, details: Omit<Retry, 'type' | 'reason'> = {}): Retry {
  return { type: 'retry', reason, ...details };
}

export function failed(reason: string, details: Omit<Failed, 'type' | 'reason'> = {}): Failed {
  return { type: 'failed', reason, ...details };
}

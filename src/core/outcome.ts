/**
 * What a channel answers. Expected trouble is a value: a channel that throws has a bug.
 *
 * `reason` is one short sentence that may be shown and logged: no secret, no URL with a token, no message text.
 */
export type Outcome = Delivered | Retry | Failed;

export interface Delivered {
  readonly type: 'delivered';
  /** The channel's own reference to what it sent, for `update` and `withdraw`. */
  readonly ref?: string;
  /** Something worth telling although it worked, such as "2 of 3 recipients were refused". */
  readonly note?: string;
}

/** Trouble that may pass by itself. */
export interface Retry {
  readonly type: 'retry';
  readonly reason: string;
  /** The far side asked to wait so long, ms; it then counts for the whole channel. */
  readonly afterMs?: number;
  /** What the next attempt of this delivery needs to know (at most 4 KB), such as the recipients left. */
  readonly carry?: string;
  /** The message may have arrived although nobody said so. */
  readonly possibleDuplicate?: boolean;
}

/** Trouble that will not pass: this delivery becomes a dead letter. */
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

import type { ChannelState } from '../core/delivery.ts';
import type { Log } from '../core/log.ts';
import type { Store } from '../core/store.ts';
import type { OnCircuitChange } from './channel-health.ts';
import type { RecordAttempt } from './recorder.ts';
import type { ConfiguredChannel, Prepare, Render } from './send.ts';
import type { StartTimer } from './timer.ts';

export interface ChannelWorkerDependencies {
  readonly store: Pick<Store, 'claim' | 'release' | 'releaseLost' | 'giveUp' | 'saveChannelState'>;
  readonly record: RecordAttempt;
  readonly prepare: Prepare;
  readonly render: Render;
  readonly now: () => number;
  readonly random: () => number;
  readonly startTimer: StartTimer;
  readonly log: Log;
  /** What could not be sent for so long, while a daemon ran, becomes a dead letter. */
  readonly maxAgeMs: number;
  /** Fires when sends in flight have to stop. */
  readonly shutdown: AbortSignal;
  /** Called when the lane may have become ready. */
  readonly wake: () => void;
  readonly onChange: OnCircuitChange;
  /** Called when the end of an attempt is recorded. */
  readonly onSettled: () => void;
}

/** The way of one channel's deliveries from the outbox to the channel; lanes know nothing of each other. */
export interface ChannelWorker {
  /** When the lane can work on what is due at `due`, Unix ms; Infinity: not before it wakes the worker. */
  readyAt(due: number): number;
  /** Claims what is due and begins to send it. Never rejects; takes only as long as the store needs. */
  work(): Promise<void>;
  /** Something new may be due: the pause after an empty claim ends. */
  stir(): void;
  /** So much time passed while a daemon ran and something waited here, ms. */
  passTime(ms: number): void;
  /** The channel says that it works after all: an open circuit lets a probe through now. */
  worksAgain(): void;
  /** True while the configuration does not have the channel. */
  isMissing(): boolean;
  /** Sends by another channel, or by none, from now on; resolves when the former one is not in use any more. */
  replace(next: ConfiguredChannel | null): Promise<void>;
  state(): ChannelState & { readonly inFlight: number };
  /** Claims nothing any more; resolves when everything in flight is recorded. */
  close(): Promise<void>;
}

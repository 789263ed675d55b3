import type { ChannelState } from '../core/delivery.ts';
import type { Log } from '../core/log.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Store } from '../core/store.ts';
import { halfOpen, opensAt, stateAfter } from './circuit.ts';

/** Called when a circuit opens, lets a probe through, or closes. */
export type OnCircuitChange = (after: ChannelState, before: ChannelState) => void;

/** What a lane knows of its channel as a whole; every outcome goes into the store too, so that a restart changes nothing. */
export interface ChannelHealth {
  state(): ChannelState;
  /** True while the circuit is open with no end. */
  isBroken(): boolean;
  /** When the channel as a whole may send again, Unix ms. */
  opensAt(): number;
  /** Takes an outcome in; `save` writes it down. */
  learn(outcome: Outcome): void;
  /** An open circuit lets one delivery through as a probe. */
  probe(): void;
  /** The same, except where the configuration has to be repaired first. */
  probeUnlessBroken(): void;
  /** The configuration does not have the channel, and so much time passed while something waited for it, ms. */
  addMissing(ms: number): void;
  /** The configuration has the channel again. */
  found(): void;
  /** Never rejects: in memory the state holds anyway. */
  save(): Promise<void>;
}

export function createChannelHealth(
  initial: ChannelState,
  {
    store,
    now,
    log,
    onChange,
  }: {
    readonly store: Pick<Store, 'saveChannelState'>;
    readonly now: () => number;
    readonly log: Log;
    readonly onChange: OnCircuitChange;
  },
): ChannelHealth {
  let state = initial;

  function change(after: ChannelState): void {
    const before = state;
    state = after;
    if (before.circuit === after.circuit) return;
    const { channel, circuit, openUntil, lastReason } = after;
    log.info({ channel, circuit, openUntil, reason: lastReason }, 'A circuit changed');
    try {
      onChange(after, before);
    } catch (error) {
      log.error({ channel, err: error }, 'Cannot tell of a circuit');
    }
  }

  const isBroken = (): boolean => state.circuit === 'open' && state.openUntil === null;

  return {
    state: () => state,
    isBroken,
    opensAt: () => opensAt(state, now()),
    learn: (outcome) => change(stateAfter(state, outcome, now())),
    probe: () => change(halfOpen(state)),
    probeUnlessBroken() {
      if (!isBroken()) change(halfOpen(state));
    },
    addMissing: (ms) => change({ ...state, missingMs: state.missingMs + ms }),
    found: () => change({ ...state, missingMs: 0 }),
    async save() {
      try {
        await store.saveChannelState(state);
      } catch (error) {
        log.warn({ channel: state.channel, err: error }, 'Cannot save the state of a channel');
      }
    },
  };
}

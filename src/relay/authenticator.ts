import { CLOCK_WINDOW_MS } from '../core/relay.ts';
import { sameSecret } from '../platform/crypto.ts';
import type { PairedMachine } from './machines.ts';
import { type SignedRequest, signRequest } from './signature.ts';

/** The headers of a request; null if one is missing. */
export type SignedClaim = SignedRequest & { readonly signature: string };

/** A machine that may sign requests. */
export interface Signatory {
  readonly name: string;
  /** The hash of its token. */
  readonly key: string;
}

export type Admission<Machine extends Signatory = Signatory> =
  | {
      readonly type: 'admitted';
      readonly machine: Machine;
      /** The email address of the person it belongs to, at a hub. */
      readonly person?: string;
    }
  /** No known machine signed it: the response is not signed either. */
  | { readonly type: 'stranger' }
  | {
      readonly type: 'refused';
      readonly machine: Machine;
      readonly error: 'clock' | 'replay' | 'rate' | 'busy';
      /** The clock that decided, Unix ms, unless it is that of this process. */
      readonly now?: number;
    };

/** A dummy key, so that an unknown name costs as much computation as a known one. */
const UNKNOWN_MACHINE_KEY = '0'.repeat(64);

/** Whether this machine signed it; false if there is no such machine. */
export function isSignedBy(
  machine: Signatory | undefined,
  { signature, ...request }: SignedClaim,
): machine is Signatory {
  const expected = signRequest(machine?.key ?? UNKNOWN_MACHINE_KEY, request);
  return sameSecret(signature, expected) && machine !== undefined;
}

/**
 * Accepts requests that a paired machine signed, once, and recently. The nonces are lost with the daemon: a request
 * replayed after that, within the window, brings events that are known by their ids.
 */
export function createAuthenticator(now: () => number) {
  /** Of each machine, nonces by the time at which they were used, oldest first. */
  const used = new Map<string, Map<string, number>>();
  const mayAsk = createRequestRate(now);

  function admitKnown(claim: SignedClaim, machine: PairedMachine): Admission<PairedMachine> {
    const at = now();
    const time = Number(claim.time);
    if (!Number.isSafeInteger(time) || Math.abs(at - time) > CLOCK_WINDOW_MS) {
      return { type: 'refused', machine, error: 'clock' };
    }
    const nonces = used.get(machine.name) ?? new Map<string, number>();
    used.set(machine.name, nonces);
    for (const [nonce, usedAt] of nonces) {
      // If the clock was set back, they are kept longer, which is harmless.
      if (at - usedAt <= 2 * CLOCK_WINDOW_MS) break;
      nonces.delete(nonce);
    }
    if (nonces.has(claim.nonce)) return { type: 'refused', machine, error: 'replay' };
    if (!mayAsk(machine.name)) return { type: 'refused', machine, error: 'rate' };
    nonces.set(claim.nonce, at);
    return { type: 'admitted', machine };
  }

  return {
    admit(claim: SignedClaim, machines: readonly PairedMachine[]): Admission<PairedMachine> {
      const machine = machines.find(({ name }) => name === claim.machine);
      if (!isSignedBy(machine, claim) || machine === undefined) return { type: 'stranger' };
      return admitKnown(claim, machine);
    },
  };
}

/** A machine may send this many requests in a burst … */
const BURST = 60;
/** … and one more per this interval, ms. */
const REFILL_MS = 50;

/** Limits the requests of each machine. Returns false if it may not send one now. */
export function createRequestRate(now: () => number): (machine: string) => boolean {
  const buckets = new Map<string, { tokens: number; seenAt: number }>();
  return (machine) => {
    const at = now();
    const bucket = buckets.get(machine) ?? { tokens: BURST, seenAt: at };
    buckets.set(machine, bucket);
    const earned = Math.max(0, at - bucket.seenAt) / REFILL_MS;
    bucket.tokens = Math.min(BURST, bucket.tokens + earned);
    bucket.seenAt = at;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
}

import type { PairedMachine } from './machines.ts';
import { sameSecret } from '../platform/crypto.ts';
import type { SignedRequest } from './signature.ts';
import { signRequest } from './signature.ts';
import { CLOCK_WINDOW_MS, MAX_BODY } from './wire.ts';

/** The headers of a request; null if one is missing. */
export type SignedClaim = SignedRequest & { readonly signature: string };

export type Admission =
  | { readonly type: 'admitted'; readonly machine: PairedMachine }
  /** No paired machine signed it: the response is not signed either. */
  | { readonly type: 'stranger' }
  | {
      readonly type: 'refused';
      readonly machine: PairedMachine;
      readonly error: 'clock' | 'replay' | 'rate';
    };

export interface Authenticator {
  admit(claim: SignedClaim, machines: readonly PairedMachine[]): Admission;
  /**
   * Room for a body in memory. A machine has one at a time: an unfinished one, as of a lost connection, gives way.
   *
   * @param bytes how long it may get
   * @param cancel ends the reading of it
   * @returns null where there is no room now
   */
  reserve(machine: string, bytes: number, cancel: () => void): Reservation | null;
}

export interface Reservation {
  /** The body is complete: from now on it does not give way any more. */
  keep(): void;
  release(): void;
}

/** The total size of all bodies being read or processed, bytes: two of the largest. */
const MOST_BYTES = 2 * MAX_BODY;

/** A paired machine may send this many requests in a burst … */
const BURST = 60;
/** … and one more per this interval, ms. */
const REFILL_MS = 50;
/** A key of no machine: an unknown name costs as much computation as a known one. */
const UNKNOWN_MACHINE_KEY = '0'.repeat(64);

interface Visitor {
  /** Nonces by the time at which they were used, oldest first. */
  readonly nonces: Map<string, number>;
  tokens: number;
  seenAt: number;
}

/**
 * Accepts requests that a paired machine signed, once, and recently. The nonces are lost with the daemon: a request
 * replayed after that, within the window, brings events that are known by their ids.
 */
export function createAuthenticator(now: () => number): Authenticator {
  const visitors = new Map<string, Visitor>();
  const bodies = new Map<string, { readonly bytes: number; cancel: (() => void) | null }>();

  function visitorOf(name: string, at: number): Visitor {
    const knownVisitor = visitors.get(name);
    if (knownVisitor !== undefined) return knownVisitor;
    const fresh: Visitor = { nonces: new Map(), tokens: BURST, seenAt: at };
    visitors.set(name, fresh);
    return fresh;
  }

  function admitKnown(claim: SignedClaim, machine: PairedMachine): Admission {
    const at = now();
    const time = Number(claim.time);
    if (!Number.isSafeInteger(time) || Math.abs(at - time) > CLOCK_WINDOW_MS) {
      return { type: 'refused', machine, error: 'clock' };
    }
    const visitor = visitorOf(machine.name, at);
    for (const [nonce, usedAt] of visitor.nonces) {
      // A clock that was set back keeps them longer, which is harmless.
      if (at - usedAt <= 2 * CLOCK_WINDOW_MS) break;
      visitor.nonces.delete(nonce);
    }
    if (visitor.nonces.has(claim.nonce)) return { type: 'refused', machine, error: 'replay' };
    const earned = Math.max(0, at - visitor.seenAt) / REFILL_MS;
    visitor.tokens = Math.min(BURST, visitor.tokens + earned);
    visitor.seenAt = at;
    if (visitor.tokens < 1) return { type: 'refused', machine, error: 'rate' };
    visitor.tokens -= 1;
    visitor.nonces.set(claim.nonce, at);
    return { type: 'admitted', machine };
  }

  return {
    admit({ signature, ...request }, machines) {
      const machine = machines.find(({ name }) => name === request.machine);
      const isSigned = sameSecret(
        signature,
        signRequest(machine?.key ?? UNKNOWN_MACHINE_KEY, request),
      );
      if (machine === undefined || !isSigned) return { type: 'stranger' };
      return admitKnown({ ...request, signature }, machine);
    },
    reserve(machine, bytes, cancel) {
      const former = bodies.get(machine);
      if (former?.cancel === null) return null;
      const others = [...bodies].filter(([name]) => name !== machine);
      const used = others.reduce((sum, [, body]) => sum + body.bytes, 0);
      if (used + bytes > MOST_BYTES) return null;
      former?.cancel?.();
      const share: { readonly bytes: number; cancel: (() => void) | null } = { bytes, cancel };
      bodies.set(machine, share);
      return {
        keep() {
          share.cancel = null;
        },
        release() {
          if (bodies.get(machine) === share) bodies.delete(machine);
        },
      };
    },
  };
}

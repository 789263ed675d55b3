import type { PairedMachine } from './machines.ts';
import { sameSecret } from '../platform/crypto.ts';
import type { SignedRequest } from './signature.ts';
import { signRequest } from './signature.ts';
import { CLOCK_WINDOW_MS, MAX_BODY } from './wire.ts';

/** What the headers of a request say; null where one is missing. */
export type Claim = SignedRequest & { readonly signature: string };

export type Admission =
  | { readonly type: 'admitted'; readonly machine: PairedMachine }
  /** Nobody who is paired signed it: it gets no signed answer either. */
  | { readonly type: 'stranger' }
  | {
      readonly type: 'refused';
      readonly machine: PairedMachine;
      readonly error: 'clock' | 'replay' | 'rate';
    };

export interface Authenticator {
  admit(claim: Claim, machines: readonly PairedMachine[]): Admission;
  /**
   * Room for a body in memory. A machine has one at a time: an unfinished one, as of a connection that broke, gives way.
   *
   * @param bytes how long it may get
   * @param cancel ends the reading of it
   * @returns null where there is no room now
   */
  reserve(machine: string, bytes: number, cancel: () => void): Reservation | null;
}

export interface Reservation {
  /** It is whole: from now on it does not give way any more. */
  keep(): void;
  release(): void;
}

/** All bodies that are being read or taken may have as many bytes together: two of the largest. */
const MOST_BYTES = 2 * MAX_BODY;

/** A paired machine may ask so often at once … */
const BURST = 60;
/** … and once more each so many ms. */
const REFILL_MS = 50;
/** Signs for nobody: without a machine of that name, as much is computed as with one. */
const NOBODY = '0'.repeat(64);

interface Visitor {
  /** Nonces by the time at which they were used, oldest first. */
  readonly nonces: Map<string, number>;
  tokens: number;
  seenAt: number;
}

/**
 * Lets in what a paired machine signed, once, and not long ago. The nonces are forgotten with the daemon: a request that is
 * replayed after that, within the window, brings events that are known by their ids.
 */
export function createAuthenticator(now: () => number): Authenticator {
  const visitors = new Map<string, Visitor>();
  const bodies = new Map<string, { readonly bytes: number; cancel: (() => void) | null }>();

  function visitorOf(name: string, at: number): Visitor {
    const known = visitors.get(name);
    if (known !== undefined) return known;
    const fresh: Visitor = { nonces: new Map(), tokens: BURST, seenAt: at };
    visitors.set(name, fresh);
    return fresh;
  }

  function admitKnown(claim: Claim, machine: PairedMachine): Admission {
    const at = now();
    const time = Number(claim.time);
    if (!Number.isSafeInteger(time) || Math.abs(at - time) > CLOCK_WINDOW_MS) {
      return { type: 'refused', machine, error: 'clock' };
    }
    const visitor = visitorOf(machine.name, at);
    for (const [nonce, usedAt] of visitor.nonces) {
      // A clock that was set back keeps them longer, which harms nobody.
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
      const isSigned = sameSecret(signature, signRequest(machine?.key ?? NOBODY, request));
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
      const own: { readonly bytes: number; cancel: (() => void) | null } = { bytes, cancel };
      bodies.set(machine, own);
      return {
        keep() {
          own.cancel = null;
        },
        release() {
          if (bodies.get(machine) === own) bodies.delete(machine);
        },
      };
    },
  };
}

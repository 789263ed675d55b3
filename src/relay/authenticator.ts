import { CLOCK_WINDOW_MS } from '../core/relay.ts';
import { sameSecret } from '../platform/crypto.ts';
import type { PairedMachine } from './machines.ts';
import { createRequestRate } from './request-rate.ts';
import type { SignedRequest } from './signature.ts';
import { signRequest } from './signature.ts';

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

export interface Authenticator {
  admit(claim: SignedClaim, machines: readonly PairedMachine[]): Admission<PairedMachine>;
}

/** A key of no machine: an unknown name costs as much computation as a known one. */
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
export function createAuthenticator(now: () => number): Authenticator {
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
      // A clock that was set back keeps them longer, which is harmless.
      if (at - usedAt <= 2 * CLOCK_WINDOW_MS) break;
      nonces.delete(nonce);
    }
    if (nonces.has(claim.nonce)) return { type: 'refused', machine, error: 'replay' };
    if (!mayAsk(machine.name)) return { type: 'refused', machine, error: 'rate' };
    nonces.set(claim.nonce, at);
    return { type: 'admitted', machine };
  }

  return {
    admit(claim, machines) {
      const machine = machines.find(({ name }) => name === claim.machine);
      if (!isSignedBy(machine, claim) || machine === undefined) return { type: 'stranger' };
      return admitKnown(claim, machine);
    },
  };
}

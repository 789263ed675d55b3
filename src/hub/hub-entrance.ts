/*
 * A team's hub: its people and machines, who may send, ask and answer. Processes share one database and hold nothing
 * that another could not take over. What a machine decided for itself never enters.
 */
import type { HubMachine } from '../core/hub/directory.ts';
import type { HubStore } from '../core/hub/hub-store.ts';
import { StoreError } from '../core/store-aging.ts';
import type { Log } from '../platform/log.ts';
import {
  type Admission,
  isSignedBy,
  type SignedClaim,
  createRequestRate,
} from '../relay/authenticator.ts';
import type { Entrance, OpenRoutes, RelayRoutes } from '../relay/entrance.ts';
import { clientAddress } from '../platform/http/client-address.ts';
import type { HubDirectory } from './directory.ts';

export interface HubEntranceOptions {
  readonly store: Pick<HubStore, 'admit'>;
  readonly directory: Pick<HubDirectory, 'machine' | 'refresh'>;
  readonly routes: RelayRoutes;
  readonly openRoutes: OpenRoutes;
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  readonly proxies?: () => readonly string[];
  /** Counts requests by their outcome. */
  readonly count: (outcome: 'admitted' | 'unknown' | 'clock' | 'replay' | 'rate' | 'busy') => void;
  readonly log: Log;
}

/**
 * Accepts requests that machines of the hub have signed, once, whichever process gets them. The signature is checked with
 * the key that this process knows; whether it is still that of the machine, the database decides.
 */
export function hubEntrance(options: HubEntranceOptions): Entrance {
  const { store, directory, routes, openRoutes, proxies = () => [], count, log } = options;
  const mayAsk = createRequestRate(() => performance.now());

  /** Another process may just have enrolled the machine: if a signature matches no known key, the keys are reread. */
  async function signerOf(claim: SignedClaim): Promise<HubMachine | null> {
    const known = directory.machine(claim.machine) ?? undefined;
    return isSignedBy(known, claim) ? known : rereadSignerOf(claim);
  }

  async function rereadSignerOf(claim: SignedClaim): Promise<HubMachine | null> {
    await directory.refresh();
    const fresh = directory.machine(claim.machine) ?? undefined;
    return isSignedBy(fresh, claim) ? fresh : null;
  }

  /** Another process may just have sealed the same key again: then the stored form that this process has is out of date. */
  async function decide(machine: HubMachine, claim: SignedClaim, time: number) {
    const { machine: name, nonce } = claim;
    const verdict = await store.admit({ machine: name, key: machine.stored, time, nonce });
    if (verdict.type !== 'unknown') return verdict;
    const fresh = await rereadSignerOf(claim);
    if (fresh === null || fresh.stored === machine.stored) return verdict;
    return store.admit({ machine: name, key: fresh.stored, time, nonce });
  }

  async function admit(claim: SignedClaim): Promise<Admission> {
    const machine = await signerOf(claim);
    if (machine === null) return { type: 'stranger' };
    if (!mayAsk(machine.name)) return { type: 'refused', machine, error: 'rate' };
    const time = Number(claim.time);
    if (!Number.isSafeInteger(time)) return { type: 'stranger' };
    try {
      const verdict = await decide(machine, claim, time);
      switch (verdict.type) {
        case 'admitted':
          return { type: 'admitted', machine, person: verdict.person };
        case 'unknown':
          return { type: 'stranger' };
        case 'clock':
          return { type: 'refused', machine, error: 'clock', now: verdict.now };
        case 'replay':
          return { type: 'refused', machine, error: 'replay' };
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      log.warn({ err: error }, 'Cannot decide on a request');
      return { type: 'refused', machine, error: 'busy' };
    }
  }

  return {
    async admit(claim) {
      const admission = await admit(claim);
      if (admission.type === 'refused') count(admission.error);
      else count(admission.type === 'admitted' ? 'admitted' : 'unknown');
      return admission;
    },
    routes,
    openRoutes,
    clientOf: (peer, forwardedFor) => clientAddress(peer, forwardedFor, proxies()),
  };
}

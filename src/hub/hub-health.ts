import type { HubStore } from '../core/hub/hub-store.ts';
import { within } from '../platform/time.ts';
import type { RelayAnswer } from '../relay/entrance.ts';

/** A database that takes longer counts as unavailable, ms. */
const PATIENCE_MS = 2_000;
/** The answer is kept this long, because each check is a write, ms. */
const FRESH_MS = 1_000;

/** Whether this process can serve, for proxies and monitoring. */
export function createHubHealth(store: Pick<HubStore, 'ping'>) {
  let isStopping = false;
  let held: { readonly at: number; readonly isReachable: Promise<boolean> } | null = null;

  async function reach(): Promise<boolean> {
    const answered = store.ping().then(
      () => true,
      () => false,
    );
    return (await within(answered, PATIENCE_MS)) ?? false;
  }

  async function ready(): Promise<RelayAnswer> {
    if (isStopping) return { status: 503, body: { ready: false, reason: 'stopping' } };
    const now = performance.now();
    if (held === null || now - held.at > FRESH_MS) held = { at: now, isReachable: reach() };
    if (await held.isReachable) return { status: 200, body: { ready: true } };
    return { status: 503, body: { ready: false, reason: 'database' } };
  }

  return {
    routes: {
      'GET /livez': {
        mostBytes: 0,
        handle: () => Promise.resolve({ status: 200, body: { live: true } }),
      },
      'GET /readyz': { mostBytes: 0, handle: ready },
    },
    /** Makes it not ready from now on. */
    stopping() {
      isStopping = true;
    },
  };
}

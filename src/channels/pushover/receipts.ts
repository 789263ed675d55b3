import { pause, type StartTimer } from '../../platform/time.ts';

/** The service wants at least 5 s between two requests (https://pushover.net/api/receipts). */
const POLL_MS = 10_000;

/** State of a receipt; `unknown`: the service could not be asked. */
export type ReceiptState = 'waiting' | 'acknowledged' | 'over' | 'unknown';

/** Watches emergencies until someone acknowledges them. */
export function createReceiptWatch({
  ask,
  onAcknowledged,
  startTimer,
  now,
}: {
  readonly ask: (receipt: string, signal: AbortSignal) => Promise<ReceiptState>;
  readonly onAcknowledged: (deliveryId: string) => void;
  readonly startTimer: StartTimer;
  readonly now: () => number;
}) {
  const closing = new AbortController();
  const watched = new Map<string, { readonly deliveryId: string; readonly until: number }>();
  let running: Promise<void> | null = null;

  /** One receipt after the other, so that none is asked about more often than every `POLL_MS`. */
  async function run(): Promise<void> {
    while (watched.size > 0 && !closing.signal.aborted) {
      await pause(POLL_MS, startTimer, closing.signal);
      for (const [receipt, { deliveryId, until }] of watched) {
        if (closing.signal.aborted) return;
        const state = await ask(receipt, closing.signal);
        // It may have been withdrawn meanwhile.
        if (state === 'acknowledged' && watched.has(receipt)) onAcknowledged(deliveryId);
        if (state === 'acknowledged' || state === 'over' || now() > until) watched.delete(receipt);
      }
    }
  }

  return {
    /** @param until Unix ms after which the receipt is no longer polled */
    add(receipt: string, deliveryId: string, until: number): void {
      watched.set(receipt, { deliveryId, until });
      running ??= run().finally(() => (running = null));
    },
    remove: (receipt: string) => void watched.delete(receipt),
    async close(): Promise<void> {
      closing.abort();
      await running;
    },
  };
}

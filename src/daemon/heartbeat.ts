import { withDeadline } from '../vendor/client/wait.ts';
import { sendHttpRequest } from '../channels/webhook/index.ts';
import type { Config } from '../config/config.ts';
import type { SecretReference } from '../core/channel.ts';
import type { HeartbeatView } from '../control/contract-views.ts';
import { ConfigError, errorCode } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import { type Clock, isoTime } from '../platform/time.ts';

/** A remote that does not respond must not delay the next beat. */
const TIMEOUT_MS = 8_000;

interface HeartbeatOptions {
  readonly config: Pick<Config, 'heartbeat'>;
  readonly readSecret: (reference: SecretReference) => Promise<string>;
  readonly outbound: Outbound;
  readonly now: Clock;
  readonly log: Log;
  readonly timeoutMs?: number;
}

/**
 * Requests an address at an interval while the daemon runs: the service there alerts people when the beats stop, which
 * the daemon itself cannot do. A failed beat is logged and shown, and delays nothing.
 */
export function createHeartbeat(options: HeartbeatOptions) {
  const { readSecret, outbound, now, log, timeoutMs = TIMEOUT_MS } = options;
  const stopping = new AbortController();
  let configured = options.config.heartbeat;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> | null = null;
  let last: { readonly at: number; readonly reason: string | null } | null = null;

  async function beatNow(reference: SecretReference): Promise<void> {
    const reason = await troubleOf(reference);
    if (stopping.signal.aborted) return;
    const failedBefore = (last?.reason ?? null) !== null;
    if (reason !== null && !failedBefore) log.warn({ reason }, 'The heartbeat failed');
    if (reason === null && failedBefore) log.info({}, 'The heartbeat works again');
    last = { at: now(), reason };
  }

  /** Null if it worked. No reason names the address: it is a secret. */
  async function troubleOf(reference: SecretReference): Promise<string | null> {
    let isOver = false;
    try {
      const url = addressOf(await readSecret(reference));
      if (url === null) return 'its address is neither https nor on this machine';
      const headers = { 'user-agent': 'hookbell' };
      const { status } = await withDeadline(timeoutMs, stopping.signal, async (signal) => {
        signal.addEventListener('abort', () => (isOver = true), { once: true });
        return sendHttpRequest({ url, method: 'GET', headers, body: '', signal, outbound });
      });
      return status >= 200 && status < 300 ? null : `it answered ${status}`;
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      return isOver ? 'no answer in time' : `no connection: ${errorCode(error) ?? 'unknown error'}`;
    }
  }

  /** Sends one beat now. Never rejects. */
  function beat(): Promise<void> {
    if (configured === null) return Promise.resolve();
    beating ??= beatNow(configured.url).finally(() => (beating = null));
    return beating;
  }

  /** Sends one beat now, then repeats at the configured interval. */
  function restart(): void {
    clearInterval(timer);
    if (configured === null) return;
    timer = setInterval(() => void beat(), configured.everyMs);
    timer.unref();
    void beat();
  }

  return {
    beat,
    start: restart,
    /** Takes a new configuration; an equal one changes nothing. */
    reconfigure({ heartbeat }: Pick<Config, 'heartbeat'>) {
      if (JSON.stringify(heartbeat) === JSON.stringify(configured)) return;
      configured = heartbeat;
      last = null;
      restart();
    },
    /** Null if not configured. */
    state(): HeartbeatView | null {
      if (configured === null) return null;
      return {
        everyMs: configured.everyMs,
        lastAt: last === null ? null : isoTime(last.at),
        reason: last?.reason ?? null,
      };
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await beating;
    },
  };
}

/** Null for an address that would reveal to others on the way that and where this daemon runs. */
function addressOf(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere) ? url : null;
}

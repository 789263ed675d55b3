import { isLocalHost } from '../platform/loopback-address.ts';
import type { HookRecord } from './hook-event.ts';

/** The maximum difference between the clocks of both sides; a request is remembered for twice as long, ms. */
export const CLOCK_WINDOW_MS = 5 * 60_000;

/** Destination of a relay. */
export type RelayAddress =
  /** A unix socket of this machine; the path verbatim. */
  | { readonly type: 'socket'; readonly path: string }
  | {
      readonly type: 'url';
      readonly secure: boolean;
      readonly host: string;
      readonly port: number;
    };

/** "https://HOST:PORT", a local http address or a path; or its fault, as the end of a sentence. */
export function parseRelayAddress(text: string): RelayAddress | string {
  if (/^(?:\/|~\/|[A-Za-z]:\\|\\\\\.\\pipe\\)/.test(text)) return { type: 'socket', path: text };
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'is neither "https://HOST:PORT" nor the absolute path of a unix socket';
  }
  const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(text);
  if (pathname !== '/' || [search, hash, username, password].some((part) => part !== '')) {
    return 'contains more than a host and a port';
  }
  const secure = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  if (!secure && host === 'localhost') {
    return 'names "localhost", which may be another user\'s server on [::1]: write http://127.0.0.1:PORT';
  }
  if (!secure && !isLocalHost(host)) {
    return 'goes to another machine without TLS: write https, or forward a unix socket with "ssh -R"';
  }
  return { type: 'url', secure, host, port: Number(port) || (secure ? 443 : 80) };
}

export interface RelayOutcome {
  readonly eventId: string;
  /** Why the other machine refused it; null: accepted. */
  readonly refusal: string | null;
}

export interface RelayOutbox {
  /** In the order of acceptance; at least one, however large. */
  batch(query: {
    readonly limit: number;
    readonly maxBytes: number;
  }): Promise<readonly HookRecord[]>;
  /** Removes events from the outbox; a refusal by the other machine becomes a decision of the event. */
  complete(outcomes: readonly RelayOutcome[]): Promise<void>;
  /** Stops relaying events older than `keepMs` (unset: all) by counted time. Returns how many. */
  giveUp(query: { readonly keepMs?: number; readonly reason: string }): Promise<number>;
  /** The number of events to relay, and when the first of them was received, Unix ms. */
  backlog(): Promise<{ readonly count: number; readonly since: number | null }>;
}

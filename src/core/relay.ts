import { isLocalHost } from '../platform/loopback-address.ts';
import type { HookRecord } from './hook-event.ts';

/** Where a daemon relays to. */
export type RelayAddress =
  /** A unix socket of this machine; the path as it is written. */
  | { readonly type: 'socket'; readonly path: string }
  | {
      readonly type: 'url';
      readonly secure: boolean;
      readonly host: string;
      readonly port: number;
    };

/**
 * Reads what people write: "https://HOST:PORT", "http://127.0.0.1:PORT", or the path of a unix socket.
 *
 * @returns what is wrong with it, as the end of a sentence, where it is no address
 */
export function parseRelayAddress(text: string): RelayAddress | string {
  if (/^(?:\/|~\/|[A-Za-z]:\\|\\\\\.\\pipe\\)/.test(text)) return { type: 'socket', path: text };
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'is neither "https://HOST:PORT" nor the absolute path of a unix socket';
  }
  const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(text);
  if (pathname !== '/' || [search, hash, username, password].some((part) => part !== '')) {
    return 'holds more than a host and a port';
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

/** What became of an event that waited to be relayed. */
export interface RelaySettlement {
  readonly eventId: string;
  /** Why the other machine did not take it; null: it did. */
  readonly refusal: string | null;
}

/** The part of the store that keeps what waits to be relayed to another machine. */
export interface RelayOutbox {
  /**
   * Events that wait to be relayed, in the order in which they were accepted: up to `limit`, fewer where their payloads have
   * more than `maxBytes` together, but at least one.
   */
  relayBatch(query: {
    readonly limit: number;
    readonly maxBytes: number;
  }): Promise<readonly HookRecord[]>;
  /** They do not wait to be relayed any more; a decision of the event says why where the other machine did not take it. */
  settleRelayed(settled: readonly RelaySettlement[]): Promise<void>;
  /**
   * Those older than `keepMs` (left out: all) are not relayed any more, for a reason that is kept with each. They age by the
   * time that `Aging.countElapsedTime` has counted, which a wrong year does not move. Returns how many.
   */
  giveUpRelaying(query: { readonly keepMs?: number; readonly reason: string }): Promise<number>;
  /** How many wait to be relayed, and since when the first of them was received, Unix ms. */
  relayBacklog(): Promise<{ readonly count: number; readonly since: number | null }>;
}

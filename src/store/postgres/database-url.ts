import { ConfigError } from '../../platform/errors.ts';
import { isLocalHost } from '../../platform/loopback-address.ts';

export interface DatabaseAddress {
  /** A name, an address, or the directory of a unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Null: without encryption, on this machine only. */
  readonly tls: { readonly caFile: string | null } | null;
  /** Settings of the session, as `-c name=value`. */
  readonly options: string | undefined;
  /** For messages: without user and password. */
  readonly place: string;
}

const KNOWN = ['host', 'sslmode', 'sslrootcert', 'options'];

/**
 * Reads a URL such as `postgres://user:password@db.example.com/hookbell`. A host elsewhere is reached with TLS and its
 * certificate is checked; on this machine `sslmode=verify-full` asks for the same.
 *
 * @throws ConfigError without the text of the URL, which may have a password
 */
export function readDatabaseUrl(text: string): DatabaseAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw wrong('expected postgres://user@host/database');
  }
  const unknown = [...url.searchParams.keys()].find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw wrong(`parameter "${unknown}" is unknown, expected one of ${KNOWN.join(', ')}`);
  }
  // Without the brackets of an IPv6 address.
  const host = url.searchParams.get('host') ?? decode(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  const database = decode(url.pathname.slice(1));
  if (host === '') throw wrong('the host is missing');
  if (database === '')
    throw wrong('the name of the database is missing, as in postgres://host/hookbell');
  const port = url.port === '' ? 5432 : Number(url.port);
  return {
    host,
    port,
    database,
    user: url.username === '' ? undefined : decode(url.username),
    password: url.password === '' ? undefined : decode(url.password),
    tls: tlsOf(host, url.searchParams),
    options: url.searchParams.get('options') ?? undefined,
    place: `"${database}" at ${host.startsWith('/') ? host : `${host}:${port}`}`,
  };
}

function tlsOf(host: string, parameters: URLSearchParams): DatabaseAddress['tls'] {
  const isHere = host.startsWith('/') || isLocalHost(host);
  const mode = parameters.get('sslmode') ?? (isHere ? 'disable' : 'verify-full');
  if (mode === 'verify-full') return { caFile: parameters.get('sslrootcert') };
  if (mode === 'disable' && isHere) return null;
  const reason = isHere
    ? 'expected disable or verify-full'
    : 'others on the way could read or change notifications: expected verify-full, with sslrootcert=FILE for a private certificate authority';
  throw wrong(`sslmode is "${mode}", ${reason}`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong('a "%" is not followed by two digits: write a "%" itself as "%25"');
  }
}

function wrong(reason: string): ConfigError {
  return new ConfigError(`Cannot use store.postgres.url: ${reason}`);
}

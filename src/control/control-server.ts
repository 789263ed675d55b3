import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { ControlAnswers } from './contract.ts';
import { DaemonUnreachableError, HookbellError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { readWithin } from '../platform/read-within.ts';
import { createBoundedServer, stopListening } from '../platform/http/http-server.ts';
import { sameSecret } from '../platform/crypto.ts';
import { replaceFile } from '../platform/replace-file.ts';
import { displayText } from '../text/sanitize.ts';
import { controlAddress, proofOf } from './proof.ts';
import { listenOnSocket } from '../platform/http/unix-socket.ts';

const MEGABYTE = 1024 * 1024;
/** In MB; others are at most 1 MB. They name everyone whom a hub knows. */
const largeBodies: Partial<Record<keyof ControlAnswers, number>> = {
  'POST /v1/hub-import': 32,
  'POST /v1/hub-missing': 32,
  'POST /v1/hub-prune': 32,
};
const megabytesOf = new Map<string, number>(Object.entries(largeBodies));

/** The input of a route; `body` is parsed JSON, or undefined. */
export interface ControlRequest {
  /** The part of the path after the name, if any. */
  readonly part: string | null;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** A handler for each request of the contract. Throws `HookbellError` for errors of the caller. */
export type ControlRoutes = {
  readonly [Name in keyof ControlAnswers]: (
    request: ControlRequest,
  ) => Promise<ControlAnswers[Name]>;
};

export interface InsideCall {
  readonly part?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Calls a handler within the daemon, as a command does from outside. */
export function askRoutes<Name extends keyof ControlAnswers>(
  routes: ControlRoutes,
  name: Name,
  { part, query, body }: InsideCall = {},
): Promise<ControlAnswers[Name]> {
  return routes[name]({ part: part ?? null, query: new URLSearchParams(query), body });
}

export interface ControlServer {
  /** Takes other routes from now on. */
  serve(routes: Partial<ControlRoutes>): void;
  close(): Promise<void>;
}

export interface ControlOptions {
  readonly socket: string;
  readonly token: string;
  readonly routes: Partial<ControlRoutes>;
  /** Why a request without a route cannot be answered now; null: there is no such request. */
  readonly whyNot?: () => string | null;
  readonly log: Log;
}

/**
 * Serves the command line over HTTP on a unix socket. Its directory is 0700 and checked before; the socket itself is
 * 0600; and every request but the greeting carries the token of the 0600 file next to it, because Node cannot ask the
 * kernel for the caller.
 */
export async function listenForControl(options: ControlOptions): Promise<ControlServer> {
  const token = randomBytes(32).toString('hex');
  replaceFile(options.token, token, { mode: 0o600 });
  let { routes } = options;
  const server = createBoundedServer({ unfinishedBodies: 'busy' }, (request, response) => {
    void answer(request, response, token, { ...options, routes });
  });
  const release = await listenOnSocket(server, controlAddress(options.socket, token));
  return {
    serve(next) {
      routes = next;
    },
    async close() {
      await stopListening(server);
      release();
      await rm(options.token, { force: true });
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  { routes, whyNot = () => null, log }: ControlOptions,
): Promise<void> {
  try {
    const url = addressOf(request);
    const parts = url.pathname.split('/').filter((part) => part !== '');
    if (url.pathname === '/v1/hello') {
      send(response, 200, { proof: proofOf(token, url.searchParams.get('nonce') ?? '') });
      return;
    }
    if (!sameSecret(request.headers.authorization ?? '', `Bearer ${token}`)) {
      log.warn({ path: url.pathname }, 'Refused a control request without the token');
      send(response, 401, { error: 'The token is missing or wrong' });
      return;
    }
    const name = `${request.method} /${parts.slice(0, 2).join('/')}`;
    const handler = new Map(Object.entries(routes)).get(name);
    if (handler === undefined) {
      const why = whyNot();
      if (why !== null) throw new DaemonUnreachableError(`Cannot reach the daemon: ${why}`);
      send(response, 404, { error: `Unknown request "${request.method} ${url.pathname}"` });
      return;
    }
    const encoded = parts[2];
    const part = encoded === undefined ? null : fromPath(() => decodeURIComponent(encoded));
    const body = await readBody(request, megabytesOf.get(name) ?? 1);
    send(response, 200, await handler({ part, query: url.searchParams, body }));
  } catch (error) {
    if (error instanceof HookbellError) {
      // It may repeat what was sent, and ends at a terminal.
      send(response, 422, {
        error: displayText(error.message),
        name: error.name,
        hint: error.hint === null ? null : displayText(error.hint),
      });
      return;
    }
    log.error({ err: error }, 'Cannot handle a control request');
    send(response, 500, { error: 'The daemon cannot handle the request; see "hookbell logs"' });
  }
}

/** In a relative address, "//" would name a host. */
function addressOf({ url = '/' }: IncomingMessage): URL {
  return fromPath(() => new URL(`http://hookbell${url.startsWith('/') ? '' : '/'}${url}`));
}

function fromPath<Part>(read: () => Part): Part {
  try {
    return read();
  } catch (error) {
    throw new BadRequestError('The path of the request is not valid', { cause: error });
  }
}

async function readBody(request: IncomingMessage, megabytes: number): Promise<unknown> {
  const bytes = await readWithin(request, megabytes * MEGABYTE);
  if (bytes === null) throw new BadRequestError(`The request is larger than ${megabytes} MB`);
  if (bytes.length === 0) return undefined;
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return parsed;
  } catch (error) {
    throw new BadRequestError('The request is not a JSON document', { cause: error });
  }
}

/** Thrown when a control request is too large or unreadable. */
class BadRequestError extends HookbellError {
  override readonly name = 'BadRequestError';
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body ?? null);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

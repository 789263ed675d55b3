import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { text as readText } from 'node:stream/consumers';

import type { ControlAnswers } from './contract.ts';
import {
  DaemonUnreachableError,
  errorCode,
  FailedError,
  NotFoundError,
  UsageError,
} from '../platform/errors.ts';
import type { Paths } from '../core/paths.ts';
import { sameSecret } from '../platform/crypto.ts';
import { parseJson } from '../platform/json.ts';
import { controlAddress, proofOf } from './proof.ts';
import { OWN_FILE_FLAGS } from '../platform/own-file.ts';
import { farMount } from '../platform/far-mount.ts';
import { socketAddress } from '../platform/http/unix-socket.ts';

export interface ControlCall {
  /** One further part of the path, such as an event id. */
  readonly part?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** Timeout for the response, ms. */
  readonly timeoutMs?: number;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
}

/**
 * Calls the daemon, by the contract of control/contract.ts. Before the token is sent, the socket's directory must be ours
 * and closed to others, and the listener must prove that it knows the token: another program on that path learns
 * nothing.
 *
 * @throws DaemonUnreachableError when no daemon answers; NoDaemonError when none runs
 * @throws NotFoundError, UsageError, FailedError as the daemon says
 */
export async function callDaemon<Name extends keyof ControlAnswers>(
  paths: Pick<Paths, 'socket' | 'token'>,
  name: Name,
  call: ControlCall = {},
): Promise<ControlAnswers[Name]> {
  await checkDirectory(paths.token);
  const token = await readToken(paths.token);
  const { status, body } = await ask(paths.socket, token, name, call);
  if (status !== 200) throw errorOf(JSON.parse(body));
  // Trusted as the contract says: the response comes from a program that proved to be our daemon, and checking it with
  // zod would double the start time of every reading command.
  const answer: ControlAnswers[Name] = JSON.parse(body);
  return answer;
}

const STATE_PATIENCE_MS = 2_000;

/**
 * For commands, before they access the state directory: a file system that does not respond would block them, and even
 * their exit.
 *
 * @throws DaemonUnreachableError when the file system of the state directory does not answer
 */
export async function refuseHungState(state: string): Promise<void> {
  const mount = farMount(state);
  if (mount === null) return;
  // A child runs this, because the caller may never return. Its output does not matter, only that it ends.
  const child = spawn('stat', ['-f', mount], { stdio: 'ignore', cwd: '/' });
  child.unref();
  const answers = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), STATE_PATIENCE_MS);
    for (const end of ['exit', 'error']) {
      child.once(end, () => {
        clearTimeout(timer);
        resolve(true);
      });
    }
  });
  if (answers) return;
  child.kill('SIGKILL');
  throw new DaemonUnreachableError(
    `Cannot use the state directory "${state}": the file system on "${mount}" does not answer`,
    { hint: `Look at the mount: findmnt --target "${mount}"` },
  );
}

async function checkDirectory(token: string): Promise<void> {
  const uid = process.geteuid?.();
  if (uid === undefined) return;
  const directory = dirname(token);
  const found = await lstat(directory).catch(() => null);
  if (found === null) throw new NoDaemonError();
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw unreachable(`"${directory}" is not a private directory of this user`);
  }
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, { encoding: 'utf8', flag: OWN_FILE_FLAGS })).trim();
  } catch (error) {
    throw new NoDaemonError(error);
  }
}

async function ask(
  socket: string,
  token: string,
  name: string,
  call: ControlCall,
): Promise<Exchanged> {
  const address = socketAddress(controlAddress(socket, token));
  try {
    await greet(address.path, token);
    return await exchange(address.path, name, call, `Bearer ${token}`);
  } finally {
    address.close();
  }
}

async function greet(socket: string, token: string): Promise<void> {
  const nonce = randomBytes(16).toString('hex');
  const { body } = await exchange(socket, 'GET /v1/hello', { query: { nonce }, timeoutMs: 2_000 });
  if (!sameSecret(stringField(parseJson(body), 'proof') ?? '', proofOf(token, nonce))) {
    throw unreachable('another program answers on its socket');
  }
}

interface Exchanged {
  readonly status: number;
  readonly body: string;
}

async function exchange(
  socketPath: string,
  name: string,
  { part, query = {}, body, timeoutMs = 10_000, signal }: ControlCall,
  authorization?: string,
): Promise<Exchanged> {
  const [method = 'GET', base = ''] = name.split(' ');
  const path = part === undefined ? base : `${base}/${encodeURIComponent(part)}`;
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) search.set(key, value);
  }
  const text = body === undefined ? undefined : JSON.stringify(body);
  // Not `AbortSignal.any([AbortSignal.timeout(…)])`: Node 20 may collect that timeout as garbage, and a hung daemon
  // would then block the command forever.
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeoutMs);
  const giveUp = (): void => over.abort();
  signal?.addEventListener('abort', giveUp, { once: true });
  if (signal?.aborted === true) giveUp();
  try {
    const outgoing = httpRequest({
      socketPath,
      method,
      path: search.size === 0 ? path : `${path}?${search.toString()}`,
      signal: over.signal,
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(text !== undefined && { 'content-type': 'application/json' }),
      },
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.once('error', reject);
      outgoing.end(text);
    });
    const answer = { status: response.statusCode ?? 0, body: await readText(response) };
    // On a busy machine the server may cut off a request that came too slowly.
    if (answer.status === 408) throw unreachable(SLOW);
    return answer;
  } catch (error) {
    if (error instanceof DaemonUnreachableError) throw error;
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED') throw new NoDaemonError(error);
    const isLate = error instanceof Error && error.name === 'AbortError';
    throw unreachable(isLate ? SLOW : 'the connection was lost', error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

const SLOW = 'it is running but does not respond in time';

const hint = 'Run "hookbell start", or "hookbell doctor" for details';

/** Thrown when no daemon runs. */
export class NoDaemonError extends DaemonUnreachableError {
  constructor(cause?: unknown) {
    super('Cannot reach the daemon: it is not running', { hint, cause });
  }
}

function unreachable(reason: string, cause?: unknown): DaemonUnreachableError {
  return new DaemonUnreachableError(`Cannot reach the daemon: ${reason}`, { hint, cause });
}

function errorOf(body: unknown): Error {
  const message = stringField(body, 'error') ?? 'The daemon refused the request without a reason';
  const ownHint = stringField(body, 'hint');
  const options = ownHint === null ? {} : { hint: ownHint };
  const name = stringField(body, 'name');
  if (name === 'NotFoundError') return new NotFoundError(message, options);
  if (name === 'UsageError') return new UsageError(message, options);
  if (name === 'DaemonUnreachableError') return new DaemonUnreachableError(message, options);
  return new FailedError(message, options);
}

function stringField(body: unknown, key: string): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const value: unknown = Reflect.get(body, key);
  return typeof value === 'string' ? value : null;
}

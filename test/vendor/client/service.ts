import type { Client, ClientOptions } from '../../../src/vendor/client/index.ts';
import { createClient } from '../../../src/vendor/client/index.ts';
import type { HttpEndpoint } from '../../support/http-endpoint.ts';
import { openHttpEndpoint } from '../../support/http-endpoint.ts';
import type { ScriptedAnswer } from '../../support/scripted-answer.ts';

/** Noon of the day tests take for today. */
export const NOON = Date.parse('2026-03-15T12:00:00Z');

/** A service on the loopback: plays scripted answers at two addresses, with a client whose waits cost no time. */
export interface TestService extends AsyncDisposable {
  readonly base: HttpEndpoint;
  readonly app: HttpEndpoint;
  /** Waits the client asked for, ms. */
  readonly waits: readonly number[];
  /** Lets time go by. */
  readonly pass: (ms: number) => void;
  /** Method and path with query of every request at `base`. */
  readonly calls: () => string[];
  readonly client: (options?: ClientOptions) => Client;
}

export const KEY = 'key-for-tests-123456';

export async function openService(...answers: readonly ScriptedAnswer[]): Promise<TestService> {
  const base = await openHttpEndpoint();
  const app = await openHttpEndpoint();
  const [first, ...others] = answers;
  if (first !== undefined) {
    base.answer(first, ...others);
    app.answer(first, ...others);
  }
  const waits: number[] = [];
  let at = NOON;
  return {
    base,
    app,
    waits,
    pass: (ms) => {
      at += ms;
    },
    calls: () => base.requests.map(({ method, path }) => `${method} ${path}`),
    client: (options = {}) =>
      createClient({
        baseUrl: base.url,
        appUrl: app.url,
        apiKey: KEY,
        random: () => 0,
        now: () => at,
        sleep: async (ms, signal) => {
          signal?.throwIfAborted();
          waits.push(ms);
          at += ms;
        },
        ...options,
      }),
    [Symbol.asyncDispose]: async () => {
      await base[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** A JSON answer. */
export function json(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): ScriptedAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** The query of a recorded path. */
export function queryOf(path: string): Record<string, string> {
  return Object.fromEntries(new URL(path, 'http://x').searchParams);
}

/** What a promise rejects with, as an instance of a class. */
export async function rejection<Kind extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => Kind,
): Promise<Kind> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error(`It was expected to reject with ${kind.name}`);
}

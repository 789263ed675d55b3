import type { Mock } from '../../support/reference-service/reference-server.ts';
import { startMock } from '../../support/reference-service/reference-server.ts';
import type { MockOptions } from '../../support/reference-service/reference-server.ts';
import { isJsonObject } from '../../../src/platform/json.ts';
import type { JsonObject } from '../../../src/platform/json.ts';

/** A Wednesday noon in UTC: yesterday is 2026-07-14. */
export const NOW = Date.UTC(2026, 6, 15, 12);

export const YESTERDAY = '2026-07-14';
export const WEEK = 'startDate=2026-07-08&endDate=2026-07-14';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body read as a JSON object; empty when it is none. */
  readonly json: JsonObject;
}

export interface Question {
  readonly method?: string;
  /** A credential as it stands after "Bearer "; the owner's key by default, none when null. */
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function openMock(options: Partial<MockOptions> = {}): Promise<Mock> {
  return startMock({ now: NOW, ...options });
}

/** Asks with plain fetch; paths of readiness go to the application's address. */
export async function ask(mock: Mock, path: string, question: Question = {}): Promise<Answered> {
  const { method = 'GET', key = mock.keys.owner, body, headers = {}, signal } = question;
  const address = path.startsWith('/api/organization') ? mock.appUrl : mock.baseUrl;
  const response = await fetch(address + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const received = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text: received,
    json: objectOf(received),
  };
}

function objectOf(received: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(received);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** A list in a body; fails if it is missing or an item is not an object. */
export function rows(json: JsonObject, name: string): JsonObject[] {
  const list = json[name];
  if (!Array.isArray(list)) throw new TypeError(`"${name}" is not a list`);
  return list.map((row: unknown) => object(row));
}

export function object(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new TypeError(`Not an object: ${JSON.stringify(value)}`);
  return value;
}

export function number(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError(`Not a number: ${JSON.stringify(value)}`);
  return value;
}

export function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`Not a string: ${JSON.stringify(value)}`);
  return value;
}

/** Known ids of the data, which is what a client reads from lists. */
export function knownIds(mock: Mock) {
  const { sessions, computers } = mock.state();
  const [session] = sessions;
  const [computer] = computers;
  const message = session?.messages[0];
  if (session === undefined || computer === undefined || message === undefined) {
    throw new Error('The data is empty');
  }
  return {
    sessionId: session.sessionId,
    messageId: message.id,
    computerId: computer.id,
    computerName: computer.name,
  };
}

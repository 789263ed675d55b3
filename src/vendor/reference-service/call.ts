import type { JsonObject } from './json-object.ts';
import type { Knobs } from './keys.ts';
import type { World } from './world.ts';

/** A request that passed all checks of form: what a route's answer is made of. */
export interface Call {
  readonly routeId: string;
  readonly world: World;
  /** Unix ms. */
  readonly now: number;
  /** Decoded parts of the path, by name. */
  readonly path: ReadonlyMap<string, string>;
  readonly query: ReadonlyMap<string, string>;
  /** Empty when the route takes none. */
  readonly body: JsonObject;
  readonly knobs: Knobs;
}

export type Respond = (call: Call) => Answer;

/** A part of the path; the route's pattern guarantees that it is there. */
export function pathPart(call: Call, name: string): string {
  return call.path.get(name) ?? '';
}

/** The `limit` of the query, which the checks found to be a whole number, or the default. */
export function limitOf(call: Call, preset: number): number {
  const text = call.query.get('limit');
  return text === undefined ? preset : Number(text);
}

/** What a route answers: a status and a JSON body, or a refusal whose body depends on the family of the route. */
export type Answer = Success | Refusal;

export interface Success {
  readonly isRefusal: false;
  readonly status: number;
  readonly body: unknown;
}

export interface Refusal {
  readonly isRefusal: true;
  readonly status: number;
  readonly detail: string;
}

export function ok(body: unknown, status = 200): Success {
  return { isRefusal: false, status, body };
}

export function refuse(status: number, detail: string): Refusal {
  return { isRefusal: true, status, detail };
}

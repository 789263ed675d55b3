import type { Answer } from './answer.ts';
import type { JsonObject } from './json-object.ts';
import type { Knobs } from './knobs.ts';
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

import type { JsonObject } from '../../../src/platform/json.ts';
import { isJsonObject } from '../../../src/platform/json.ts';

/** Says what is wrong with a value, or null. */
export type Shape = (value: unknown, path: string) => readonly string[];

export interface ObjectRules {
  readonly required?: Readonly<Record<string, Shape>>;
  readonly optional?: Readonly<Record<string, Shape>>;
}

export const string: Shape = (value, path) =>
  typeof value === 'string' ? [] : [`${path} is not a string`];
export const number: Shape = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) ? [] : [`${path} is not a number`];
export const integer: Shape = (value, path) =>
  Number.isInteger(value) ? [] : [`${path} is not an integer`];
export const boolean: Shape = (value, path) =>
  typeof value === 'boolean' ? [] : [`${path} is not a boolean`];
export const anyObject: Shape = (value, path) =>
  isJsonObject(value) ? [] : [`${path} is not an object`];

export function matches(expression: RegExp): Shape {
  return (value, path) =>
    typeof value === 'string' && expression.test(value)
      ? []
      : [`${path} is ${JSON.stringify(value)}, expected ${expression}`];
}

export function oneOf(...allowed: readonly unknown[]): Shape {
  return (value, path) =>
    allowed.includes(value)
      ? []
      : [`${path} is ${JSON.stringify(value)}, none of ${allowed.join()}`];
}

export function either(...shapes: readonly Shape[]): Shape {
  return (value, path) =>
    shapes.some((shape) => shape(value, path).length === 0) ? [] : [`${path} fits nothing`];
}

export function list(item: Shape): Shape {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((each: unknown, index) => item(each, `${path}[${index}]`))
      : [`${path} is not a list`];
}

export function mapOf(item: Shape): Shape {
  return (value, path) =>
    isJsonObject(value)
      ? Object.entries(value).flatMap(([name, each]) => item(each, `${path}.${name}`))
      : [`${path} is not an object`];
}

/** An object with these fields and no other. */
export function object({ required = {}, optional = {} }: ObjectRules): Shape {
  const known = new Map(Object.entries({ ...required, ...optional }));
  return (value, path) => {
    if (!isJsonObject(value)) return [`${path} is not an object`];
    const missing = Object.keys(required).filter((name) => !Object.hasOwn(value, name));
    return [
      ...missing.map((name) => `${path} lacks ${name}`),
      ...fieldProblems(value, known, path),
    ];
  };
}

/** An object of which every field is required. */
export function exact(required: Readonly<Record<string, Shape>>): Shape {
  return object({ required });
}

function fieldProblems(value: JsonObject, known: ReadonlyMap<string, Shape>, path: string) {
  return Object.entries(value).flatMap(([name, field]) => {
    const shape = known.get(name);
    return shape === undefined ? [`${path} has ${name}`] : shape(field, `${path}.${name}`);
  });
}

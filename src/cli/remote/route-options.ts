import type { Command, OptionValues } from 'commander';
import { z } from 'zod';

import type { Route } from '../../api/index.ts';
import { isNestedTooDeep } from '../../api/index.ts';
import { UsageError } from '../../core/errors.ts';
import { typedValue } from './fields.ts';

/** A parameter of a route as a person gives it. */
export interface RouteParameter {
  readonly name: string;
  readonly type: 'text' | 'number' | 'json';
  readonly isRequired: boolean;
  readonly description: string;
}

/** The parameters of a route, from the schema that checks them. */
export function parametersOf({ parameters }: Pick<Route, 'parameters'>): readonly RouteParameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(parameters, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => {
    const { type, description = '' } = typeof schema === 'object' ? schema : {};
    return { name, type: typeOf(type), isRequired: required.includes(name), description };
  });
}

/** Gives a command an option for each parameter, named as the interface names it. */
export function addParameters(command: Command, parameters: readonly RouteParameter[]): void {
  for (const { name, type, isRequired, description } of parameters) {
    const flags = `--${name} <${type}>`;
    if (isRequired) command.requiredOption(flags, description);
    else command.option(flags, description);
  }
}

/** The parameters of a call; the client checks them. @throws UsageError when a number or JSON is none */
export function readParameters(
  parameters: readonly RouteParameter[],
  options: OptionValues,
): Readonly<Record<string, unknown>> {
  const given = parameters.flatMap(({ name, type }) => {
    const text: unknown = options[name];
    return typeof text === 'string' ? [[name, readValue(name, type, text)] as const] : [];
  });
  return Object.fromEntries(given);
}

function readValue(name: string, type: RouteParameter['type'], text: string): unknown {
  if (type === 'text') return text;
  if (type === 'number') {
    if (/^-?[0-9]+(?:\.[0-9]+)?$/.test(text)) return Number(text);
    throw new UsageError(`--${name} is "${text}", expected a number in decimal digits`);
  }
  const value = typedValue(text);
  if (typeof value !== 'string') return value;
  if (isNestedTooDeep(value)) throw new UsageError(`--${name} is nested too deep`);
  try {
    // What was in a file is a text up to here.
    return JSON.parse(value);
  } catch (cause) {
    throw new UsageError(`--${name} is no JSON, expected JSON or @FILE`, { cause });
  }
}

function typeOf(type: unknown): RouteParameter['type'] {
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'array' || type === 'object' ? 'json' : 'text';
}

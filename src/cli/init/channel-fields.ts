import { channelJsonSchema } from '../../config/json-schema.ts';
import { parseOptions } from '../../config/parse-options.ts';
import type { ChannelDefinition } from '../../core/channel.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { isJsonObject } from '../../core/json-object.ts';

/** An option of a type of channel that holds a value and not further options. */
export interface ChannelField {
  readonly path: readonly string[];
  /** How its value is typed: a list is separated by commas, `other` is YAML. */
  readonly form: 'secret' | 'text' | 'list' | 'other';
  readonly required: boolean;
  readonly description: string;
}

type Schema = ReturnType<typeof channelJsonSchema>;

/** The options of a type of channel, from the schema that the configuration is checked against. */
export function channelFields(definition: ChannelDefinition): readonly ChannelField[] {
  const { type: _, ...properties } = channelJsonSchema(definition).properties ?? {};
  return fieldsOf({ ...channelJsonSchema(definition), properties }, [], true);
}

function fieldsOf(schema: Schema, path: readonly string[], required: boolean): ChannelField[] {
  const { properties, description = '' } = schema;
  if (properties === undefined) return [{ path, form: formOf(schema), required, description }];
  return Object.entries(properties).flatMap(([key, property]) => {
    if (typeof property === 'boolean') return [];
    return fieldsOf(property, [...path, key], required && schema.required?.includes(key) === true);
  });
}

function formOf(schema: Schema): ChannelField['form'] {
  if (schema['secret'] === true) return 'secret';
  if (schema.type === 'string') return 'text';
  const { items } = schema;
  const isList = isJsonObject(items) && items['type'] === 'string';
  return schema.type === 'array' && isList ? 'list' : 'other';
}

/** The value at a path of nested options; undefined where there is none. */
export function valueAt(options: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (isJsonObject(inner) ? inner[key] : undefined),
    options,
  );
}

/** A copy of nested options with a value at a path. */
export function withValue(
  options: JsonObject,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): JsonObject {
  if (rest.length === 0) return { ...options, [key]: value };
  const inner = options[key];
  return { ...options, [key]: withValue(isJsonObject(inner) ? inner : {}, rest, value) };
}

/** What the channel says against a value, as the rest of a sentence; null for nothing. Other options may be missing yet. */
export function fieldFault(
  definition: ChannelDefinition,
  options: JsonObject,
  path: readonly string[],
  value: unknown,
): string | null {
  const parsed = definition.options.safeParse(withValue(options, path, value), parseOptions);
  const issue = parsed.error?.issues.find((found) =>
    path.every((key, index) => found.path[index] === key),
  );
  return issue?.message ?? null;
}

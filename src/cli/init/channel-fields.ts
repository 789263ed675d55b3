import { parseOptions } from '../../config/problem.ts';
import { channelJsonSchema } from '../../config/channel-schema.ts';
import type { ChannelDefinition, OptionQuestion } from '../../core/channel.ts';
import { isJsonObject, type JsonObject } from '../../platform/json.ts';

/** An option of a channel type that holds a value instead of nested options. */
export interface ChannelField {
  readonly path: readonly string[];
  /** How its value is typed: a list is separated by commas, `other` is YAML. */
  readonly form: 'secret' | 'text' | 'list' | 'other';
  readonly required: boolean;
  readonly description: string;
}

type Schema = ReturnType<typeof channelJsonSchema>;

/** Returns the options of a channel type, from the schema that validates the configuration. */
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
  // A list, or a word instead of it.
  const isList = [schema, ...(schema.anyOf ?? [])].some(isListOfTexts);
  return isList ? 'list' : 'other';
}

function isListOfTexts(schema: unknown): boolean {
  if (!isJsonObject(schema) || schema['type'] !== 'array') return false;
  return isJsonObject(schema['items']) && schema['items']['type'] === 'string';
}

/** Returns the value at a path of nested options; undefined if it is unset. */
export function valueAt(options: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (isJsonObject(inner) ? inner[key] : undefined),
    options,
  );
}

/** Returns a copy of nested options with a value at a path. */
export function withValue(
  options: JsonObject,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): JsonObject {
  if (rest.length === 0) return { ...options, [key]: value };
  const inner = options[key];
  return { ...options, [key]: withValue(isJsonObject(inner) ? inner : {}, rest, value) };
}

/** Returns why the channel rejects a value, as the rest of a sentence; null if it does not. Other options may be missing. */
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

/** Returns the question for an option; null: it is not asked with these options. */
export function questionFor(
  { type, questions = {} }: ChannelDefinition,
  { path, required, description }: ChannelField,
  options: JsonObject,
): OptionQuestion | null {
  const question = questions[path.join('.')];
  if (question?.when !== undefined) return question.when(options) ? question : null;
  if (!required) return null;
  return question ?? { message: `${type}.${path.join('.')}: ${description}` };
}

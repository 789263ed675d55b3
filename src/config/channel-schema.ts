import { z } from 'zod';

import type { ChannelDefinition, ChannelLimits } from '../core/channel.ts';
import { type BodyDetail, bodyDetails } from '../core/notification.ts';
import { isJsonObject, type JsonObject } from '../platform/json.ts';
import { didYouMean } from '../text/suggest.ts';
import { settleDelay } from './alert-schema.ts';
import { type DocumentPath, type Finding, findingsOf, knownKeys, parseOptions } from './problem.ts';
import type { ReadSecret } from './secrets.ts';
import { duration, onOrOff, orNull } from './units.ts';

/** Keys of every channel, regardless of its type. */
export const commonChannelSchema = z.strictObject({
  timeout: duration({ min: '100ms', max: '10m' })
    .exactOptional()
    .describe('Timeout of one delivery attempt'),
  max_attempts: z
    .int()
    .min(1)
    .max(1_000)
    .exactOptional()
    .describe('Number of attempts after which a message counts as undeliverable'),
  rate: z
    .strictObject({
      burst: z.int().min(1).max(1_000).exactOptional().describe('Messages sent without a delay'),
      every: duration({ min: '1ms', max: '1d' })
        .exactOptional()
        .describe('Interval between messages after a burst'),
    })
    .prefault({})
    .describe('Rate limit'),
  body: z
    .enum(bodyDetails)
    .default('full')
    .describe(
      "How much text to show: all, the first line, or a headline without any text from a prompt, such as the session's title",
    ),
  settle: orNull(settleDelay).describe(
    "How long an agent's request must stay open before this channel receives it",
  ),
  redact: orNull(onOrOff).describe(
    'Remove likely secrets from the texts of this channel; overrides the section "redact"',
  ),
});

/** A configured channel: the options of its type, and the limits of its worker. */
export interface ChannelConfig {
  readonly name: string;
  readonly type: string;
  readonly definition: ChannelDefinition;
  /** Argument of `definition.create`. */
  readonly options: unknown;
  readonly limits: ChannelLimits;
  readonly body: BodyDetail;
  /** How long agents' requests settle, ms; null: use `alerts.settle`. */
  readonly settleDelayMs: number | null;
  /** Whether secrets are removed from its texts; null: use the section `redact`. */
  readonly redact: boolean | null;
}

export type ChannelReading =
  | { readonly ok: true; readonly channel: ChannelConfig }
  | { readonly ok: false; readonly findings: readonly Finding[] };

export interface KnownChannels {
  /** The types that a configuration uses. */
  readonly definitions: readonly ChannelDefinition[];
  /** All types. */
  readonly types: readonly string[];
}

/** Validates one entry of `channels` against the definition that its `type` names. */
export function readChannel(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  { definitions, types }: KnownChannels,
): ChannelReading {
  const path: DocumentPath = ['channels', name];
  const { type, ...keys } = entry;
  const definition = definitions.find((candidate) => candidate.type === type);
  if (definition === undefined) {
    return { ok: false, findings: [unknownType(path, type, types)] };
  }

  const { common, own, unknown } = separate(keys, definition);
  const commonResult = commonChannelSchema.safeParse(common, parseOptions);
  const ownResult = definition.options.safeParse(own, parseOptions);
  if (commonResult.success && ownResult.success && unknown.length === 0) {
    const { body, redact, settle: settleDelayMs, ...overrides } = commonResult.data;
    const limits = limitsOf(definition.limits, overrides);
    const settings = { options: ownResult.data, limits, body, settleDelayMs, redact };
    return { ok: true, channel: { name, type: definition.type, definition, ...settings } };
  }
  const commonKeys = Object.keys(commonChannelSchema.shape);
  const candidates = ['type', ...commonKeys, ...knownKeys(definition.options)];
  return {
    ok: false,
    findings: [
      ...unknown.map((key): Finding => ({
        path: [...path, key],
        at: 'key',
        message: `is not an option of channel type "${definition.type}"${didYouMean(key, candidates)}`,
      })),
      ...findingsOf(commonResult.error?.issues ?? [], path),
      ...findingsOf(ownResult.error?.issues ?? [], path),
    ],
  };
}

/**
 * What a channel refuses once its secrets are read, as a test of it would: `{ env }` and `{ file }`, without running a command.
 * Findings contain no secret.
 */
export async function refusedSecrets(
  name: string,
  entry: JsonObject,
  { definition, readSecret }: { definition: ChannelDefinition; readSecret: ReadSecret },
): Promise<readonly Finding[]> {
  const read = await withSecrets(entry, readSecret);
  if (!isJsonObject(read)) return [];
  const reading = readChannel(name, read, { definitions: [definition], types: [] });
  return reading.ok ? [] : reading.findings;
}

const readable = z.union([
  z.strictObject({ env: z.string() }),
  z.strictObject({ file: z.string() }),
]);

/** The value with the texts of its secrets; those that cannot be read stay references. */
async function withSecrets(value: unknown, readSecret: ReadSecret): Promise<unknown> {
  if (!isJsonObject(value)) return value;
  const { data: reference } = readable.safeParse(value);
  if (reference !== undefined) return readSecret(reference).catch(() => value);
  const pairs = Object.entries(value).map(
    async ([key, inner]) => [key, await withSecrets(inner, readSecret)] as const,
  );
  return Object.fromEntries(await Promise.all(pairs));
}

function unknownType(path: DocumentPath, type: unknown, types: readonly string[]): Finding {
  const knownTypes = `expected one of ${types.join(', ')}`;
  if (typeof type !== 'string') {
    const fault = type === undefined ? 'has no "type"' : 'has a "type" that is not text';
    return { path, at: 'value', message: `${fault}, ${knownTypes}` };
  }
  const hint = didYouMean(type, types) || `, ${knownTypes}`;
  const message = `names the unknown type ${JSON.stringify(type)}${hint}`;
  return { path: [...path, 'type'], at: 'value', message };
}

/** Splits the keys into common, type-specific and unknown ones. If the type's keys cannot be listed, its schema decides. */
function separate(keys: Readonly<Record<string, unknown>>, definition: ChannelDefinition) {
  const listed = knownKeys(definition.options);
  const common: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(keys)) {
    if (Object.hasOwn(commonChannelSchema.shape, key)) common[key] = value;
    else if (definition.options instanceof z.ZodObject && !listed.includes(key)) unknown.push(key);
    else own[key] = value;
  }
  return { common, own, unknown };
}

type Overrides = Omit<z.output<typeof commonChannelSchema>, 'body' | 'redact' | 'settle'>;

function limitsOf(base: ChannelLimits, { timeout, max_attempts, rate }: Overrides): ChannelLimits {
  return {
    ...base,
    timeoutMs: timeout ?? base.timeoutMs,
    burst: rate.burst ?? base.burst,
    refillMs: rate.every ?? base.refillMs,
    maxAttempts: max_attempts ?? base.maxAttempts,
  };
}

/** The options of a channel type, including `type` and the common keys, as JSON Schema. */
export function channelJsonSchema(definition: ChannelDefinition): z.core.JSONSchema.BaseSchema {
  const { type, summary, options } = definition;
  const optionsSchema = plainSchema(options);
  if (optionsSchema.type !== 'object')
    throw new Error(`The options of channel type "${type}" are not a mapping`);
  return {
    ...optionsSchema,
    title: type,
    description: summary,
    properties: {
      type: { const: type, description: summary },
      ...optionsSchema.properties,
      ...plainSchema(commonChannelSchema).properties,
    },
    required: ['type', ...(optionsSchema.required ?? [])],
  };
}

export function plainSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  // The input side: keys with a default are optional.
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return json;
}

import { z } from 'zod';

import type { ChannelDefinition, ChannelLimits } from '../core/channel.ts';
import { type BodyDetail, bodyDetails } from '../core/notification.ts';
import { knownKeys, parseOptions } from './describe-issue.ts';
import { duration } from './units.ts';
import { settleTime } from './alert-schema.ts';
import { type DocumentPath, type Finding, findingsOf } from './problem.ts';
import { didYouMean } from '../text/suggest.ts';

/** Keys every channel has, whatever its type. */
export const commonChannelSchema = z.strictObject({
  timeout: duration({ min: '100ms', max: '10m' })
    .exactOptional()
    .describe('One attempt is given up after so long'),
  max_attempts: z
    .int()
    .min(1)
    .max(1_000)
    .exactOptional()
    .describe('After so many attempts a message counts as undeliverable'),
  rate: z
    .strictObject({
      burst: z.int().min(1).max(1_000).exactOptional().describe('So many messages at once'),
      every: duration({ min: '1ms', max: '1d' })
        .exactOptional()
        .describe('After a burst, one message in so long'),
    })
    .prefault({})
    .describe('How fast messages may follow each other'),
  body: z
    .enum(bodyDetails)
    .default('full')
    .describe(
      "How much text it shows: all, the first line, or a headline without anything that came from a prompt, such as the session's title",
    ),
  settle: settleTime
    .exactOptional()
    .describe('How long a request of an agent has to stay open before this channel gets it'),
  redact: z
    .enum(['on', 'off'])
    .exactOptional()
    .describe(
      'Whether what looks like a secret is taken out of its texts, whatever holds elsewhere',
    ),
});

/** A channel as configured: what its type needs to create it, and how the worker treats it. */
export interface ConfiguredChannel {
  readonly name: string;
  readonly type: string;
  readonly definition: ChannelDefinition;
  /** What `definition.create` takes. */
  readonly options: unknown;
  readonly limits: ChannelLimits;
  readonly body: BodyDetail;
  /** How long requests of agents settle, ms; null: as `alerts.settle` says. */
  readonly settleMs: number | null;
  /** Whether secrets are taken out of its texts; null: as everywhere. */
  readonly redact: boolean | null;
}

export type ChannelReading =
  | { readonly ok: true; readonly channel: ConfiguredChannel }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Validates one entry of `channels` against the definition that its `type` names. */
export function readChannel(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  definitions: readonly ChannelDefinition[],
): ChannelReading {
  const path: DocumentPath = ['channels', name];
  const { type, ...keys } = entry;
  const definition = definitions.find((candidate) => candidate.type === type);
  if (definition === undefined) {
    return { ok: false, findings: [unknownType(path, type, definitions)] };
  }

  const { common, own, unknown } = separate(keys, definition);
  const commonResult = commonChannelSchema.safeParse(common, parseOptions);
  const ownResult = definition.options.safeParse(own, parseOptions);
  if (commonResult.success && ownResult.success && unknown.length === 0) {
    const { body, redact, settle = null, ...overrides } = commonResult.data;
    const limits = limitsOf(definition.limits, overrides);
    return {
      ok: true,
      channel: {
        name,
        type: definition.type,
        definition,
        options: ownResult.data,
        limits,
        body,
        settleMs: settle,
        redact: redact === undefined ? null : redact === 'on',
      },
    };
  }
  const candidates = [
    'type',
    ...Object.keys(commonChannelSchema.shape),
    ...knownKeys(definition.options),
  ];
  return {
    ok: false,
    findings: [
      ...unknown.map((key): Finding => ({
        path: [...path, key],
        at: 'key',
        message: `is not known to a channel of type "${definition.type}"${didYouMean(key, candidates)}`,
      })),
      ...findingsOf(commonResult.error?.issues ?? [], path),
      ...findingsOf(ownResult.error?.issues ?? [], path),
    ],
  };
}

function unknownType(
  path: DocumentPath,
  type: unknown,
  definitions: readonly ChannelDefinition[],
): Finding {
  const types = definitions.map((definition) => definition.type);
  const known = `expected one of ${types.join(', ')}`;
  if (typeof type !== 'string') {
    return {
      path,
      at: 'value',
      message:
        type === undefined ? `has no "type", ${known}` : `has a "type" that is no text, ${known}`,
    };
  }
  const hint = didYouMean(type, types) || `, ${known}`;
  return {
    path: [...path, 'type'],
    at: 'value',
    message: `names the unknown type ${JSON.stringify(type)}${hint}`,
  };
}

/** Tells common keys, the type's own and unknown ones apart; the type's schema judges where its keys cannot be listed. */
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

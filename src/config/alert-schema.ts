import { z } from 'zod';

import type { ChannelDefinition } from '../core/channel.ts';
import type { NoisePolicy } from '../core/policy.ts';
import { duration, notADuration, onOrOff } from './units.ts';

/** The section `redact`. */
export const redactSchema = z
  .strictObject({
    notifications: onOrOff
      .prefault('on')
      .describe('Remove likely secrets from every text that is shown or sent'),
    history: onOrOff
      .prefault('off')
      .describe(
        'Also remove likely secrets before an event is stored, so that they never appear anywhere',
      ),
    prefixes: z
      .array(
        z.string().regex(/^[A-Za-z0-9][\w-]{2,31}$/, {
          error: 'is not a token prefix: use 3 to 32 letters, digits, "_" and "-"',
        }),
      )
      .max(50)
      .default([])
      .describe('Prefixes of your own tokens, in addition to well-known ones'),
    keys: z
      .array(
        z.string().regex(/^[A-Za-z][\w-]{2,31}$/, {
          error:
            'is not a key name: use 3 to 32 letters, digits, "_" and "-", starting with a letter',
        }),
      )
      .max(50)
      .default([])
      .describe('Names of secret values, in addition to "password", "token" and similar'),
  })
  .prefault({});

const error = ({ input }: { readonly input?: unknown }) => notADuration(input);

/** 0 is the only number that needs no unit. */
const zero = z.number().min(0, { error }).max(0, { error });

const time = [zero, duration({ max: '10m' })] as const;

export const settleDelay = z.union(time).describe('A duration up to 10m, or 0 for immediately');

const near = settleDelay
  .prefault('700ms')
  .describe('Channels on this machine: desktop and terminal');
const far = settleDelay
  .prefault('10s')
  .describe('Channels that reach you anywhere: slack, email, webhook and command');

/** How long an agent's request must stay open before channels receive it; parsed to ms. */
const settleSchema = z
  .union([...time, z.strictObject({ near, far })])
  .prefault({})
  .describe(
    "How long an agent's request must stay open before it is sent, because hooks, modes and reviewers answer many immediately: a duration, { near, far }, or 0 for immediately",
  )
  .transform((settle) => (typeof settle === 'number' ? { near: settle, far: settle } : settle));

/** The section `alerts`. */
export const alertsSchema = z
  .strictObject({
    expire_after: duration({ min: '1s' })
      .prefault('12h')
      .describe('An unanswered question expires after this long'),
    settle: settleSchema,
    rounds: z
      .enum(['last', 'each'])
      .default('last')
      .describe(
        'Which rounds of a session that wakes itself (/loop, scheduled tasks) notify as finished: the last one, or each. Failures and requests always notify',
      ),
  })
  .prefault({})
  .transform(({ expire_after: expireAfterMs, ...same }) => ({ expireAfterMs, ...same }));

const holdNames = { until_answered: 'open', while_away: 'away', never: null } as const;

const untilAnswered = z
  .enum(['until_answered', 'while_away', 'never'])
  .default('until_answered')
  .transform((name) => holdNames[name]);
/** Until answered is not offered: the agent shows no prompt meanwhile, also to a person at its terminal. */
const whileAway = z
  .enum(['while_away', 'never'])
  .default('while_away')
  .transform((name) => holdNames[name]);

/** The section `answers`. */
export const answersSchema = z
  .strictObject({
    hold: z
      .strictObject({
        claude: untilAnswered.describe(
          'Claude Code, which shows its prompt meanwhile: until_answered, while_away or never',
        ),
        claude_subagents: whileAway.describe('Subagents of Claude Code: while_away or never'),
        opencode: untilAnswered.describe(
          'OpenCode, which shows its prompt meanwhile: until_answered, while_away or never',
        ),
        codex: whileAway.describe('Codex CLI: while_away or never'),
        qwen: whileAway.describe('Qwen Code: while_away or never'),
        mcp: untilAnswered.describe(
          'Questions that an agent asks through "hookbell mcp": until_answered, while_away or never',
        ),
      })
      .prefault({})
      .describe(
        'When requests of each agent wait for an answer from elsewhere; with while_away, only if you are known to be away',
      )
      .transform(({ claude_subagents: claude, mcp: program, ...agents }) => ({
        agents: { ...agents, program },
        subagents: { claude },
      })),
    mcp_questions: z
      .int()
      .min(1)
      .max(5)
      .default(1)
      .describe('How many questions one session may have open through "hookbell mcp"'),
    through_hub: z
      .boolean()
      .default(true)
      .describe(
        'Whether you can also answer through the hub that this machine relays to; the hub can then allow requests',
      ),
  })
  .transform(({ hold, mcp_questions: mcpQuestions, through_hub: throughHub }) => ({
    hold,
    mcpQuestions,
    throughHub,
  }))
  .prefault({});

interface ChannelWithSettleDelay {
  readonly name: string;
  readonly definition: Pick<ChannelDefinition, 'reach'>;
  readonly settleDelayMs: number | null;
}

/** The settle time of each channel that has one, ms. */
export function settleDelays(
  { near: nearMs, far: farMs }: z.output<typeof settleSchema>,
  channels: readonly ChannelWithSettleDelay[],
): Readonly<Record<string, number>> {
  const byReach = { near: nearMs, far: farMs, record: 0 };
  const times = channels.map(({ name, definition, settleDelayMs }): [string, number] => [
    name,
    settleDelayMs ?? byReach[definition.reach],
  ]);
  return Object.fromEntries(times.filter(([, ms]) => ms > 0));
}

const perHour = z.int().min(1).max(1_000);

/** Notification rate limits; parsed to the policy's `NoisePolicy`. */
export const noiseSchema = z
  .strictObject({
    burst: z
      .strictObject({
        at_once: z
          .int()
          .min(1)
          .max(1_000)
          .default(1)
          .describe('Number of events sent immediately; of requests, at least 3'),
        window: duration({ min: '1ms', max: '1h' })
          .prefault('5s')
          .describe('Further events within this time after the first are sent together at its end'),
      })
      .prefault({})
      .describe(
        'Grouping of events that arrive in quick succession; requests and other events separately',
      ),
    per_session: perHour.default(30).describe('Most messages per hour about one session'),
    per_channel: perHour.default(120).describe('Most messages per hour on one channel'),
    flap: duration({ max: '10m' })
      .prefault('0s')
      .describe(
        'Minimum delay of the later steps of a plan; an alert answered within it stays at the first step',
      ),
  })
  .prefault({})
  .transform(({ burst, per_session, per_channel, flap }): NoisePolicy => ({
    burst: { atOnce: burst.at_once, windowMs: burst.window },
    perSessionAnHour: per_session,
    perChannelAnHour: per_channel,
    flapMs: flap,
  }));

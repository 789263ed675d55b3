import { z } from 'zod';

import type { ChannelDefinition } from '../core/channel.ts';
import type { NoisePolicy } from '../core/policy.ts';
import { duration, notADuration } from './units.ts';

const onOrOff = z.enum(['on', 'off']);

/** The section `redact`. */
export const redactSchema = z
  .strictObject({
    notifications: onOrOff
      .default('on')
      .describe(
        'Whether what looks like a secret is taken out of every text that is shown or sent',
      ),
    history: onOrOff
      .default('off')
      .describe(
        'Whether it is taken out before an event is remembered, too: then nothing can show it',
      ),
    prefixes: z
      .array(
        z.string().regex(/^[A-Za-z0-9][\w-]{2,31}$/, {
          error: 'is no beginning of a token: 3 to 32 letters, digits, "_" and "-" only',
        }),
      )
      .max(50)
      .default([])
      .describe('Beginnings of your own tokens, besides the well-known ones'),
    keys: z
      .array(
        z.string().regex(/^[A-Za-z][\w-]{2,31}$/, {
          error: 'is no name of a value: 3 to 32 letters, digits, "_" and "-" only, a letter first',
        }),
      )
      .max(50)
      .default([])
      .describe('Names of values that are secret, besides "password", "token" and their like'),
  })
  .prefault({});

const error = ({ input }: { readonly input?: unknown }) => notADuration(input);

/** Of numbers without a unit only 0 says how long it is. */
const zero = z.number().min(0, { error }).max(0, { error });

const time = [zero, duration({ max: '10m' })] as const;

export const settleTime = z.union(time).describe('A length of time up to 10m, or 0: at once');

const near = settleTime
  .prefault('700ms')
  .describe('On channels of this machine: desktop and terminal');
const far = settleTime
  .prefault('10s')
  .describe('On channels that reach you anywhere: slack, email, webhook and command');

/** How long requests of agents have to stay open before channels get them; comes out in ms. */
export const settleSchema = z
  .union([...time, z.strictObject({ near, far })])
  .prefault({})
  .describe(
    'How long a request of an agent has to stay open before it is sent, since hooks, modes and reviewers answer many at once: a length of time, { near, far }, or 0 for "at once"',
  )
  .transform((settle) => (typeof settle === 'number' ? { near: settle, far: settle } : settle));

interface SettlingChannel {
  readonly name: string;
  readonly definition: Pick<ChannelDefinition, 'reach'>;
  readonly settleMs: number | null;
}

/** The settle time of each channel that has one, ms. */
export function settleTimes(
  { near: nearMs, far: farMs }: z.output<typeof settleSchema>,
  channels: readonly SettlingChannel[],
): Readonly<Record<string, number>> {
  const byReach = { near: nearMs, far: farMs, record: 0 };
  const times = channels.map(({ name, definition, settleMs }): [string, number] => [
    name,
    settleMs ?? byReach[definition.reach],
  ]);
  return Object.fromEntries(times.filter(([, ms]) => ms > 0));
}

const perHour = z.int().min(1).max(1_000);

/** How much people are told in how short a time; comes out as the policy's `NoisePolicy`. */
export const noiseSchema = z
  .strictObject({
    burst: z
      .strictObject({
        at_once: z.int().min(1).max(1_000).default(1).describe('So many ring at once'),
        window: duration({ min: '1ms', max: '1h' })
          .prefault('5s')
          .describe('What comes within so long after the first is told together at its end'),
      })
      .prefault({})
      .describe('Many events in a short time'),
    per_session: perHour.default(30).describe('Messages an hour about one session'),
    per_channel: perHour.default(120).describe('Messages an hour on one channel'),
    flap: duration({ max: '10m' })
      .prefault('0s')
      .describe(
        'No later step of a plan comes sooner than that: what is answered within it stays at the first',
      ),
  })
  .prefault({})
  .transform(({ burst, per_session, per_channel, flap }): NoisePolicy => ({
    burst: { atOnce: burst.at_once, windowMs: burst.window },
    perSessionAnHour: per_session,
    perChannelAnHour: per_channel,
    flapMs: flap,
  }));

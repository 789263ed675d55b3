import { z } from 'zod';
import type { ChannelDefinition } from '../core/channel.ts';
import { duration, notADuration } from './duration.ts';

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

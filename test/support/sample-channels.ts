import { z } from 'zod';
import inbox from '../../src/channels/inbox.ts';
import type { ChannelCatalog, ChannelDefinition } from '../../src/core/channel.ts';
import { defineChannel } from '../../src/core/channel.ts';
import { secretReference } from '../../src/core/secret-reference.ts';

const limits = { timeoutMs: 10_000, concurrency: 1, burst: 3, refillMs: 1_000, maxAttempts: 8 };

function sampleChannel<Schema extends z.ZodType>(
  fields: Pick<ChannelDefinition<Schema>, 'type' | 'audience' | 'reach' | 'options'>,
): ChannelDefinition<Schema> {
  return defineChannel({
    ...fields,
    summary: 'For tests of the configuration; cannot be created',
    recipient: 'tests',
    can: {},
    limits,
    create: () => Promise.reject(new Error('A sample channel cannot be created')),
  });
}

/** Channel definitions with every shape of options, so that tests of the configuration need no real channel. */
export const sampleChannels: readonly ChannelDefinition[] = [
  inbox,
  sampleChannel({
    type: 'desktop',
    audience: 'person',
    reach: 'near',
    options: z.strictObject({ sound: z.boolean().default(false) }),
  }),
  sampleChannel({
    type: 'slack',
    audience: 'person',
    reach: 'far',
    options: z.strictObject({ webhook: secretReference, username: z.string().optional() }),
  }),
  sampleChannel({
    type: 'log',
    audience: 'program',
    reach: 'record',
    options: z.strictObject({
      path: z.string().min(1),
      rotate: z.strictObject({ files: z.int().min(1).max(9).default(3) }).prefault({}),
    }),
  }),
];

export const sampleCatalog: ChannelCatalog = {
  types: sampleChannels.map(({ type }) => type),
  load: async () => sampleChannels,
};

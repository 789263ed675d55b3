import { z } from 'zod';

import { PersonSettings } from './person-settings.ts';

/** The path under which a machine asks a hub about the person it belongs to. */
export const ME = '/v1/hub/me';

const { timezone, quiet, channels } = PersonSettings.shape;

/** What a person asks of a hub for herself. It names no person: that is the one whose machine has signed the request. */
export const MeRequest = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('show') }),
  z.strictObject({
    type: z.literal('set'),
    settings: z.strictObject({
      timezone: timezone.unwrap().exactOptional(),
      quiet: quiet.unwrap().exactOptional(),
      channels: channels.unwrap().exactOptional(),
    }),
  }),
  z.strictObject({
    type: z.literal('mute'),
    /** Null: until unmuted. */
    forMs: z
      .int()
      .min(1)
      .max(3_650 * 86_400_000)
      .nullable(),
  }),
  z.strictObject({ type: z.literal('unmute') }),
]);
export type MeRequest = z.output<typeof MeRequest>;

/** What a hub knows of a person, after the request. Loose: a newer hub may send more. */
export const MeView = z.object({
  person: z.string(),
  team: z.string().nullable(),
  settings: PersonSettings,
  /** Ends of the mutes, Unix ms; null: until unmuted. */
  mutes: z.array(z.object({ until: z.number().nullable() })),
  /** Channels of the hub that write to one person. */
  channels: z.array(z.string()),
});
export type MeView = z.output<typeof MeView>;

/** The answer of a hub. */
export const MeAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('me'), me: MeView }),
  /** The request cannot be carried out, for a reason that is a sentence. */
  z.object({ type: z.literal('refused'), reason: z.string() }),
]);
export type MeAnswer = z.output<typeof MeAnswer>;

import { z } from 'zod';

import { PersonSettings, StoredSettings } from './person-settings.ts';

/** The path to which a machine sends `EnrolBody`, unsigned and over TLS. */
export const ENROL = '/v1/hub/enrol';

export const EnrolBody = z.object({
  version: z.literal(1),
  /** As it was typed. */
  code: z.string().max(100),
  machine: z.string().regex(/^[A-Za-z0-9][\w-]{0,31}$/),
  /** The hash of the token that the machine has made. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
});
export type EnrolBody = z.output<typeof EnrolBody>;

export const EnrolAnswer = z.object({
  version: z.literal(1),
  machine: z.string(),
  /** The email address of the person the machine now belongs to. */
  person: z.string(),
});

/** The path under which a machine reports to a hub what its person has seen there. */
export const REPORT_SEEN = '/v1/hub/seen';

/** Keys of sessions of the machine that reports, as it knows them; null: all of its sessions. */
export const SeenRequest = z.strictObject({
  sessions: z.array(z.string().min(1).max(8_192)).max(64).nullable(),
  /** When the person acknowledged them, by the clock of the machine, Unix ms: later alerts stay open. Absent: now. */
  at: z.int().nonnegative().exactOptional(),
});
export type SeenRequest = z.output<typeof SeenRequest>;

export const SeenAnswer = z.object({ count: z.int().min(0) });

/** The path under which a machine asks a hub about the person it belongs to. */
export const ME = '/v1/hub/me';

const { timezone, quiet, channels } = PersonSettings.shape;

/** A person's request to a hub about themselves. The person is the owner of the machine that signed it. */
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
  settings: StoredSettings,
  /** Ends of the mutes, Unix ms; null: until unmuted. */
  mutes: z.array(z.object({ until: z.number().nullable() })),
  /** Channels of the hub that write to one person. */
  channels: z.array(z.string()),
});
export type MeView = z.output<typeof MeView>;

export const MeAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('me'), me: MeView }),
  /** The request cannot be carried out, for a reason that is a sentence. */
  z.object({ type: z.literal('refused'), reason: z.string() }),
]);
export type MeAnswer = z.output<typeof MeAnswer>;

import { z } from 'zod';

import { parseJsonObject } from '../../platform/json.ts';
import { isTimezone, localTimezone } from '../../platform/time.ts';
import { routedKinds } from '../hook-event.ts';
import type { QuietHours } from '../policy.ts';

const minute = z.int().min(0).max(1_439);

const windowFields = {
  /** Minutes since midnight. */
  from: minute,
  to: minute,
  /** Days of the week on which it begins, 0 = Sunday; null: every day. */
  days: z.array(z.int().min(0).max(6)).min(1).max(7).nullable(),
  letThrough: z.array(z.enum(routedKinds)).max(routedKinds.length),
  meanwhile: z.enum(['hold', 'discard']),
};
const quietWindow = z.strictObject(windowFields).refine(ends, 'never ends');
type QuietWindow = z.output<typeof quietWindow>;
/** One that another version may have written: what is unknown in it is left out. */
const readWindow = z
  .object({
    ...windowFields,
    letThrough: z
      .array(z.unknown())
      .transform((kinds) => routedKinds.filter((kind) => kinds.includes(kind))),
    meanwhile: windowFields.meanwhile.catch('hold'),
  })
  .refine(ends);

function ends({ from, to, days }: Pick<QuietHours, 'from' | 'to' | 'days'>): boolean {
  return from !== to || (days !== null && new Set(days).size < 7);
}

/** What a person has set at a hub; what is missing is not set. */
export const PersonSettings = z.strictObject({
  /** Null: that of the hub. */
  timezone: z
    .string()
    .max(64)
    .refine(isTimezone, 'is not a time zone, expected a name such as Europe/Berlin')
    .nullable()
    .default(null),
  /** Null: those of the hub, in the time zone of the person. */
  quiet: z.array(quietWindow).max(20).nullable().default(null),
  /** Names of channels of the hub; null: all of them. */
  channels: z.array(z.string().min(1).max(64)).max(50).nullable().default(null),
});
export type PersonSettings = z.output<typeof PersonSettings>;

/** As another version may have written them: what this one cannot read counts as unset. */
export const StoredSettings = z.object({
  timezone: PersonSettings.shape.timezone.catch(null),
  quiet: z.array(z.unknown()).transform(readWindows).nullable().catch(null).default(null),
  channels: PersonSettings.shape.channels.catch(null),
});

/** The settings stored as this JSON. */
export function readSettings(json: string): PersonSettings {
  return StoredSettings.parse(parseJsonObject(json) ?? {});
}

/** Null: none of them could be read. */
function readWindows(stored: readonly unknown[]): QuietWindow[] | null {
  const windows = stored.flatMap((one) => readWindow.safeParse(one).data ?? []);
  return windows.length === 0 && stored.length > 0 ? null : windows;
}

/** The quiet hours of a person; null: those of the hub apply as they are. */
export function quietHoursOf(
  { timezone, quiet }: Pick<PersonSettings, 'timezone' | 'quiet'>,
  ofHub: readonly QuietHours[],
): readonly QuietHours[] | null {
  if (quiet === null) {
    return timezone === null ? null : ofHub.map((window) => ({ ...window, timezone }));
  }
  return quiet.map(({ meanwhile, ...window }): QuietHours => ({
    ...window,
    timezone: timezone ?? localTimezone(),
    meanwhile: { type: meanwhile },
  }));
}

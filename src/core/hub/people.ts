import type { QuietHours } from '../policy.ts';

/** How a person wants to be notified. */
export interface Wishes {
  /** In the person's time zone; null: unset, so the hub's apply. */
  readonly quietHours: readonly QuietHours[] | null;
  /** Names of the channels that may notify the person; null: all of them. */
  readonly channels: readonly string[] | null;
}

/** The people of a hub, as the decisions see them. */
export interface People {
  /** Null: unknown, or removed. */
  wishesOf(email: string): Wishes | null;
  /** Addresses of the members in the order of escalation; null: no such group. */
  group(name: string): readonly string[] | null;
}

/** A machine without a hub knows no one but the person it belongs to. */
export const noPeople: People = { wishesOf: () => null, group: () => null };

/** Why a person is not notified, as the end of a sentence. */
export function notHere(email: string): string {
  return `"${email}" is not a person of this hub`;
}

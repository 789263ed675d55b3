import type { MuteView } from '../control/contract.ts';
import { displayLine } from '../text/sanitize.ts';
import { localTimeText } from './time-text.ts';

/** Characters that identify an id in nearly every list. */
const SHORTEST = 8;

/** Shortens a single id: commands accept any beginning that matches only one id. */
export function shortId(id: string): string {
  return id.slice(0, SHORTEST);
}

/**
 * Shortens the ids of a list so that each still identifies its entry in that list. Ids that begin with the time share
 * their first characters when they were made within a minute, so a fixed length would not do.
 *
 * @returns the shortest unambiguous beginning of an id, at least 8 characters
 */
export function shortenIds(ids: readonly string[]): (id: string) => string {
  const sorted = [...new Set(ids)].toSorted();
  const lengths = new Map(
    sorted.map((id, index) => {
      const neighbours = [sorted[index - 1], sorted[index + 1]];
      const shared = Math.max(...neighbours.map((other) => sharedLength(id, other ?? '')));
      // A dash at the end is easily mistaken for a range, or forgotten.
      const length = Math.max(SHORTEST, shared + 1);
      return [id, id[length - 1] === '-' ? length + 1 : length];
    }),
  );
  return (id) => id.slice(0, lengths.get(id) ?? SHORTEST);
}

function sharedLength(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    if (one[index] !== other[index]) return index;
  }
  return length;
}

/** "project shop, channel team", or "everything". */
export function whatIsMuted({ session, project, agent, channel, kind }: MuteView): string {
  const conditions = Object.entries({ session, project, agent, channel, kind })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`);
  return conditions.length === 0 ? 'everything' : displayLine(conditions.join(', '));
}

/** "2026-03-01 18:00:00", or "you unmute it". */
export function endOfMute({ until }: MuteView, now: number): string {
  return until === null ? 'you unmute it' : localTimeText(until, now);
}

/** Returns one line about the mutes; null if nothing is muted. */
export function muteNotice(mutes: readonly MuteView[], now: number): string | null {
  if (mutes.length === 0) return null;
  const each = mutes.map((one) => `${whatIsMuted(one)} until ${endOfMute(one, now)}`);
  return `Muted: ${each.join('; ')} ("hookbell mute off" ends it)`;
}

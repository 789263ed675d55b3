import type { MuteView } from '../core/control.ts';
import { displayLine } from '../core/sanitize.ts';
import { localTime } from './time-text.ts';

/** "project shop, channel team", or "everything". */
export function whatIsMuted({ session, project, agent, channel, kind }: MuteView): string {
  const conditions = Object.entries({ session, project, agent, channel, kind })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`);
  return conditions.length === 0 ? 'everything' : displayLine(conditions.join(', '));
}

/** "2026-03-01 18:00:00", or "you unmute it". */
export function endOfMute({ until }: MuteView, now: number): string {
  return until === null ? 'you unmute it' : localTime(until, now);
}

/** One line on what is muted; null where nothing is. */
export function muteNotice(mutes: readonly MuteView[], now: number): string | null {
  if (mutes.length === 0) return null;
  const each = mutes.map((one) => `${whatIsMuted(one)} until ${endOfMute(one, now)}`);
  return `Muted: ${each.join('; ')} ("hookbell mute off" ends it)`;
}

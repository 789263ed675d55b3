import type { HistoryEntry } from '../core/history.ts';
import type { Session } from '../core/session.ts';
import type { Renderer, Texts } from './render.ts';

/**
 * The texts of an event in the history, as they were sent.
 *
 * @param session of the event, which may have had other turns since then; left out: its title in the entry is used
 */
export function entryTexts(
  { texts }: Renderer,
  { event, sessionTitle, turnMs }: HistoryEntry,
  session?: Session,
): Texts {
  if (session === undefined) return texts({ ...event, title: sessionTitle ?? event.title }, null);
  const isAsThen = turnMs === null || session.stateSince === event.at;
  return texts(
    event,
    isAsThen ? session : { ...session, stateSince: event.at, lastTurnMs: turnMs, changes: [] },
  );
}

import type { SessionView } from '../../control/contract.ts';

/** The part of a list of sessions that a terminal shows. */
export interface SessionWindow {
  readonly shown: readonly SessionView[];
  /** What is left out above and below, for people; null: nothing. */
  readonly above: string | null;
  readonly below: string | null;
}

/** Leaves the ended sessions out of a list that is longer than `rows`, unless it has no others. */
export function withoutEnded(
  sessions: readonly SessionView[],
  rows: number,
): readonly SessionView[] {
  if (sessions.length <= rows) return sessions;
  const open = sessions.filter(({ state }) => state !== 'ended');
  return open.length > 0 ? open : sessions;
}

/**
 * The sessions that fit into so many rows: those that wait are listed first, so they are on top until the selection moves
 * down.
 *
 * @param selected the key of the session that must be shown; null: none
 * @param rows at least 3, for a session between two remarks
 */
export function sessionWindow(
  sessions: readonly SessionView[],
  selected: string | null,
  rows: number,
): SessionWindow {
  const listed = withoutEnded(sessions, rows);
  const ended = sessions.length - listed.length;
  const fits = listed.length + (ended > 0 ? 1 : 0) <= rows;
  const size = fits ? listed.length : Math.max(1, rows - 2);
  const index = Math.max(
    0,
    listed.findIndex(({ key }) => key === selected),
  );
  const start = Math.min(Math.max(0, index - Math.floor(size / 2)), listed.length - size);
  const below = listed.length - size - start;
  const waiting = listed.slice(0, start).filter(({ state }) => state === 'waiting').length;
  return {
    shown: listed.slice(start, start + size),
    above:
      start === 0 ? null : `↑ ${start} more${waiting === 0 ? '' : `, ${waiting} of them waiting`}`,
    below:
      below === 0 && ended === 0
        ? null
        : [
            ...(below === 0 ? [] : [`↓ ${below} more`]),
            ...(ended === 0 ? [] : [`${ended} ended`]),
          ].join(' · '),
  };
}

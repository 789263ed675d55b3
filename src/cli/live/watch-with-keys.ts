import { once } from 'node:events';
import { emitKeypressEvents } from 'node:readline';

import type { SessionView } from '../../control/contract.ts';
import { HookbellError } from '../../platform/errors.ts';
import { pause, systemTimer } from '../../platform/time.ts';
import type { CommandContext } from '../context.ts';
import { wrapWords } from '../display-width.ts';
import { answerOrNull, withInterrupt } from '../refresh-loop.ts';

/** What the keys do with the selected session; each may ask for a line of text. */
export type SessionKeys = Readonly<
  Record<string, { readonly does: string; readonly run: (id: string) => Promise<unknown> }>
>;

export interface KeyedWatch {
  readonly ask: () => Promise<readonly SessionView[]>;
  /** Prints the part of the table that fits into so many rows below its header, with a mark at the selected session. */
  readonly show: (sessions: readonly SessionView[], selected: string | null, rows: number) => void;
  readonly keys: SessionKeys;
}

/** Of a terminal that is too small, so that the selected session is seen. */
const LEAST_ROWS = 3;
/** Refresh interval, ms. */
const EVERY_MS = 2_000;

/**
 * Shows sessions on a terminal until "q" or an interrupt, and lets a person decide about the selected one by keys.
 *
 * @throws DaemonUnreachableError if the daemon is not running at the start
 */
export async function watchWithKeys(
  { output }: Pick<CommandContext, 'output'>,
  { ask, show, keys }: KeyedWatch,
): Promise<void> {
  const help = Object.entries(keys).map(([key, { does }]) => `${key} ${does}`);
  await withInterrupt(async (interrupted) => {
    const typed = keyboard(interrupted);
    let sessions: readonly SessionView[] | null = await ask();
    let selected: string | null = null;
    try {
      while (!interrupted.aborted) {
        output.clear();
        const { columns, rows } = output.size() ?? { columns: 80, rows: 24 };
        const below = wrapWords(['↑↓ select', ...help, 'q quit'], columns, ' · ');
        // The header, the empty line, and the line of the cursor.
        const room = Math.max(LEAST_ROWS, rows - below.length - 3);
        const listed = withoutEnded(sessions ?? [], room);
        if (sessions !== null) {
          selected = stillThere(listed, selected);
          show(sessions, selected, room);
          output.line();
          for (const line of below) output.line(line);
        } else output.complain('The daemon does not answer: waiting');
        const key = await typed.next(EVERY_MS);
        if (key === 'q' || key === '\u0003' || key === '\u0004') return;
        if (key !== null) {
          selected = moved(listed, selected, key);
          if (selected !== null) await act(idOf(sessions ?? [], selected), keys[key]);
        }
        sessions = await answerOrNull(ask);
      }
    } finally {
      typed.stop();
    }

    /** Runs the action of a key on a terminal in its usual mode, and leaves its text until a key is pressed. */
    async function act(id: string, action: SessionKeys[string] | undefined): Promise<void> {
      if (action === undefined) return;
      typed.stop();
      output.clear();
      try {
        await action.run(id);
      } catch (error) {
        if (!(error instanceof HookbellError)) throw error;
        output.complain(error.message);
        if (error.hint !== null) output.complain(error.hint);
      }
      output.line('Press a key to continue');
      typed.start();
      await typed.next(null);
    }
  });
}

function stillThere(sessions: readonly SessionView[], selected: string | null): string | null {
  const isThere = sessions.some(({ key }) => key === selected);
  return isThere ? selected : (sessions[0]?.key ?? null);
}

function idOf(sessions: readonly SessionView[], selected: string): string {
  return sessions.find(({ key }) => key === selected)?.sessionId ?? selected;
}

/** The session that is selected after a key; others do not move. */
function moved(
  sessions: readonly SessionView[],
  selected: string | null,
  key: string,
): string | null {
  const step = { up: -1, k: -1, down: 1, j: 1 }[key] ?? 0;
  const index = sessions.findIndex((session) => session.key === selected) + step;
  return sessions[Math.min(Math.max(index, 0), sessions.length - 1)]?.key ?? selected;
}

/** The keys of the terminal, one by one, without Enter and without an echo. */
function keyboard(interrupted: AbortSignal) {
  const { stdin } = process;
  const pressed: string[] = [];
  const arrived = new EventTarget();
  emitKeypressEvents(stdin);

  function onKey(text: string | undefined, { name }: { readonly name?: string }): void {
    const isArrow = name === 'up' || name === 'down';
    pressed.push(isArrow ? name : (text ?? ''));
    arrived.dispatchEvent(new Event('key'));
  }
  /** Ends the wait for a key, so that the list is drawn again. */
  function onResize(): void {
    arrived.dispatchEvent(new Event('key'));
  }
  function start(): void {
    stdin.setRawMode(true);
    stdin.on('keypress', onKey);
    stdin.resume();
    process.stdout.on('resize', onResize);
  }
  start();
  return {
    start,
    stop() {
      process.stdout.off('resize', onResize);
      stdin.off('keypress', onKey);
      stdin.setRawMode(false);
      stdin.pause();
    },
    /** The next key; null after `withinMs`, or if the terminal has another size. */
    async next(withinMs: number | null): Promise<string | null> {
      const over = new AbortController();
      const signal = AbortSignal.any([interrupted, over.signal]);
      if (pressed.length === 0) {
        const key = once(arrived, 'key', { signal }).catch(() => undefined);
        await (withinMs === null ? key : Promise.race([key, pause(withinMs, systemTimer, signal)]));
        over.abort();
      }
      return pressed.shift() ?? null;
    },
  };
}

/** The part of a list of sessions that a terminal shows. */
interface SessionWindow {
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

import { cutText, displayLine } from '../../text/sanitize.ts';
import type { Output } from '../output.ts';

const LINE_LENGTH = 150;
/** Below what it explains. */
const INDENT = ' '.repeat(21);

/** Shows what happens as it happens, for people. */
export function printingShow(output: Output): Show {
  const { paint } = output;
  return {
    act(title) {
      output.line();
      output.line(paint('bold', title));
    },
    entry(entry) {
      const time = `${(entry.atMs / 1_000).toFixed(1)} s`.padStart(8);
      output.line(`${paint('dim', time)}  ${placeOf(entry, paint)} ${cut(entry.what)}`);
      if (entry.why !== null) output.line(paint('dim', `${INDENT}${cut(entry.why)}`));
    },
  };
}

function placeOf({ type, channel }: Entry, paint: Output['paint']): string {
  const word = (channel ?? '').padEnd(8);
  switch (type) {
    case 'ring':
      return paint('green', `🔔 ${word}`);
    case 'withdrawal':
      return paint('cyan', `↩  ${word}`);
    case 'silence':
      return paint('dim', `·  ${word}`);
    case 'hook':
      return `▸  ${'agent'.padEnd(8)}`;
    case 'you':
      return paint('yellow', `▸  ${'you'.padEnd(8)}`);
    case 'service':
      return `▸  ${'service'.padEnd(8)}`;
    case 'daemon':
      return paint('red', `▸  ${'daemon'.padEnd(8)}`);
  }
}

function cut(text: string): string {
  return cutText(displayLine(text), LINE_LENGTH);
}

/** Something that happened in the demo. */
export interface Entry {
  /** From the beginning of the demo, ms. */
  readonly atMs: number;
  /** Title of the act. */
  readonly act: string;
  /**
   * `hook`: an agent's hook ran. `you`: what the person did. `daemon`: a change of the daemon. `service`: a change
   * of a session at the vendor's service. `ring`, `withdrawal`: a message to a channel. `silence`: a message that a
   * decision held or cancelled.
   */
  readonly type: 'hook' | 'you' | 'daemon' | 'service' | 'ring' | 'withdrawal' | 'silence';
  readonly project: string | null;
  readonly channel: string | null;
  readonly what: string;
  /** The daemon's reason; null without a decision. */
  readonly why: string | null;
  /** Process id of the daemon, in entries about it. */
  readonly pid: number | null;
}

export interface Timeline {
  readonly entries: readonly Entry[];
  readonly elapsedMs: () => number;
  begin(act: string): void;
  add(entry: Pick<Entry, 'type' | 'what'> & Partial<Entry>): void;
}

export interface Show {
  readonly act: (title: string) => void;
  readonly entry: (entry: Entry) => void;
}

/** @param now a clock that only runs forward, ms */
export function createTimeline(show: Show, now: () => number): Timeline {
  const startedAt = now();
  const entries: Entry[] = [];
  let act = '';
  const elapsedMs = (): number => Math.round(now() - startedAt);
  return {
    entries,
    elapsedMs,
    begin(title) {
      act = title;
      show.act(title);
    },
    add(given) {
      const entry: Entry = {
        atMs: elapsedMs(),
        act,
        project: null,
        channel: null,
        why: null,
        pid: null,
        ...given,
      };
      entries.push(entry);
      show.entry(entry);
    },
  };
}

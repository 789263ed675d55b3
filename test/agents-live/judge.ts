import type { HistoryView } from '../../src/core/control.ts';
import type { Kind } from '../../src/core/hook-event.ts';
import type { LiveAgent } from './live-agent.ts';
import type { Heard } from './live-home.ts';
import type { Played } from './play.ts';
import { LONG_TURN_MS } from './scenarios.ts';

/** How the rings of a row compare with what the table expects. */
export interface Verdict {
  readonly agent: string;
  readonly row: string;
  readonly missed: readonly Kind[];
  readonly false: readonly Kind[];
  readonly double: readonly Kind[];
  readonly late: readonly Kind[];
  /** Turns that were meant to be short, and were long on this machine: their rings are right. */
  readonly slow: number;
  /** Why the row was left out or got stuck; null: it was played. */
  readonly reason: string | null;
  /** Why this agent rings otherwise than the others. */
  readonly because: string | null;
  readonly leftOut: boolean;
  /** What came in, and what was made of it, for whoever looks into it. */
  readonly trail: readonly string[];
}

/** From the event to the notification; the machine may be busy, ms. */
const LATE_MS = 8_000;

export function judge(
  { agent, version }: LiveAgent,
  { row, from, to, stuck }: Played,
  heard: readonly Heard[],
): Verdict {
  const but = row.but?.[agent];
  const expected = but !== undefined && 'rings' in but ? but.rings : row.rings;
  const within = heard.filter(
    ({ view }) => Date.parse(view.at) >= from && Date.parse(view.at) < to,
  );
  const rung = within.filter(({ rangAt }) => rangAt !== null);
  const missed = [...expected];
  const unexpected: Kind[] = [];
  let slow = 0;
  for (const { view } of rung) {
    const at = missed.indexOf(view.kind);
    if (at !== -1) missed.splice(at, 1);
    else if (expected.length === 0 && tookLong(view, within)) slow += 1;
    else unexpected.push(view.kind);
  }
  return {
    agent: `${agent} ${version}`,
    row: row.name,
    missed,
    false: unexpected.filter((kind) => !expected.includes(kind)),
    double: unexpected.filter((kind) => expected.includes(kind)),
    late: rung.flatMap(({ view, rangAt }) =>
      (rangAt ?? 0) - Date.parse(view.at) > LATE_MS ? [view.kind] : [],
    ),
    slow,
    reason: stuck,
    because: but !== undefined && 'because' in but ? but.because : null,
    leftOut: false,
    trail: within.map(({ view, body, rangAt }) => {
      const why = view.decisions.find(({ verdict }) => verdict === 'stop')?.reason ?? '';
      const ring =
        rangAt === null
          ? ''
          : `  RING +${rangAt - Date.parse(view.at)} ms "${view.title}" / ${JSON.stringify(body)}`;
      return `+${String(Date.parse(view.at) - from).padStart(5)} ms ${view.event} (${view.kind})${ring} ${why}`;
    }),
  };
}

function tookLong({ at, kind }: HistoryView, heard: readonly Heard[]): boolean {
  const prompt = heard.find(({ view }) => view.kind === 'prompt');
  if (kind !== 'turn.done' || prompt === undefined) return false;
  return Date.parse(at) - Date.parse(prompt.view.at) >= LONG_TURN_MS;
}

/** Whether the row went as the table says. */
export function isGood({ missed, false: unexpected, double, late, reason }: Verdict): boolean {
  return reason === null && [missed, unexpected, double, late].every((kinds) => kinds.length === 0);
}

import type { HistoryView } from '../../src/control/contract.ts';
import type { Kind } from '../../src/core/hook-event.ts';
import { SERVICE } from '../../src/core/source-event.ts';
import type { LiveAgent } from './live-agent.ts';
import type { Heard } from './live-home.ts';
import type { Played } from './play.ts';
import { expectedRings } from './play.ts';
import type { Exception, Row } from './scenarios.ts';
import { LONG_TURN_MS, SETTLE_MS } from './scenarios.ts';

/** Comparison of a row's notifications with those the table expects. */
export interface Verdict {
  readonly agent: string;
  readonly row: string;
  readonly missed: readonly Kind[];
  readonly false: readonly Kind[];
  readonly double: readonly Kind[];
  readonly late: readonly Kind[];
  /** Events that were taken for another agent's. */
  readonly misnamed: readonly Kind[];
  /** The words that no notification contained; null: all is said. */
  readonly unsaid: string | null;
  /** Turns that were meant to be short and permissions meant to be given immediately that took longer on this machine: they rightly notify. */
  readonly slow: number;
  /** Why the row was left out or got stuck; null: it was played. */
  readonly reason: string | null;
  /** Why this agent notifies differently from the others. */
  readonly because: string | null;
  readonly leftOut: boolean;
  /** How long it was played. */
  readonly seconds: number;
  /** What came in, and what was made of it, to look into it. */
  readonly trail: readonly string[];
}

/** From the event to the notification; the machine may be busy, ms. */
const LATE_MS = 10_000;

export function judge(agent: LiveAgent, played: Played, heard: readonly Heard[]): Verdict {
  const { row, from, stuck } = played;
  const but = row.but?.[agent.agent];
  const expected = expectedRings(agent, row);
  const within = heard.filter(({ view }) => isWithin(view, played));
  const withNotice = within.filter(({ rangAt }) => rangAt !== null);
  const missed = [...expected];
  const other = but !== undefined && 'rings' in but ? but.or : undefined;
  const mayBeShort =
    isShort(row) || (but !== undefined && 'rings' in but && but.endsAtOnce === true);
  const unexpected: Kind[] = [];
  let slow = 0;
  for (const { view, turnMs } of withNotice) {
    const at = missed.findIndex((kind) => kind === view.kind || view.kind === other);
    if (at !== -1) missed.splice(at, 1);
    else if (view.kind === 'turn.done' && mayBeShort && (turnMs ?? 0) >= LONG_TURN_MS) slow += 1;
    else if (expected.length === 0 && wasGivenLate(view, within)) slow += 1;
    else unexpected.push(view.kind);
  }
  const says = wordsOf(row, but);
  const isSaid =
    says === undefined ||
    withNotice.length === 0 ||
    withNotice.some(({ view, body }) => `${view.title}\n${body}`.includes(says));
  return {
    agent: `${agent.agent} ${agent.version}`,
    row: row.name,
    missed,
    false: unexpected.filter((kind) => !expected.includes(kind)),
    double: unexpected.filter((kind) => expected.includes(kind)),
    late: withNotice.flatMap(({ view, rangAt }) =>
      (rangAt ?? 0) - Date.parse(view.at) > LATE_MS ? [view.kind] : [],
    ),
    misnamed: within.flatMap(({ view }) =>
      view.agent === agent.agent || view.agent === SERVICE ? [] : [view.kind],
    ),
    unsaid: isSaid ? null : (says ?? null),
    slow,
    reason: stuck,
    because: becauseOf(but),
    seconds: Math.round((played.to - from) / 1_000),
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

/** The words that one of the notifications has to contain; undefined: none in particular. */
function wordsOf({ says }: Row, but: Exception | undefined): string | undefined {
  if (but !== undefined && 'says' in but) return but.says;
  return but !== undefined && 'unsaid' in but ? undefined : says;
}

function becauseOf(but: Exception | undefined): string | null {
  if (but === undefined || 'leftOut' in but || 'says' in but) return null;
  return 'unsaid' in but ? but.unsaid : but.because;
}

/** Whether another hook gave a permission so late that the person was rightly asked. */
function wasGivenLate({ kind, at }: HistoryView, within: readonly Heard[]): boolean {
  const asked = Date.parse(at);
  const ran = within.find(({ view }) => view.kind === 'tool.done' && Date.parse(view.at) > asked);
  return (
    kind === 'needs.permission' && ran !== undefined && Date.parse(ran.view.at) - asked > SETTLE_MS
  );
}

/** Whether an event belongs to a row. */
export function isWithin({ at }: HistoryView, { from, to }: Played): boolean {
  return Date.parse(at) >= from && Date.parse(at) < to;
}

/** Whether the model takes no time in a row: a turn is long only where the machine is slow. */
function isShort({ model }: Row): boolean {
  return Object.values(model)
    .flat()
    .every((step) => !('say' in step) || (step.afterMs ?? 0) < LONG_TURN_MS);
}

/** Whether the row went as the table says. */
export function isGood(verdict: Verdict): boolean {
  const { missed, false: unexpected, double, late, misnamed, unsaid, reason } = verdict;
  return (
    reason === null &&
    unsaid === null &&
    [missed, unexpected, double, late, misnamed].every((kinds) => kinds.length === 0)
  );
}

import type { HourRange } from './policy.ts';
import {
  type AgentName,
  type HookEvent,
  type HookRecord,
  type Kind,
  waitingKinds,
} from './hook-event.ts';

/** Kinds of events that begin a wait: a request until its answer, or the end of a turn until the next prompt. */
export const waitKinds = [...waitingKinds, 'turn.done', 'turn.failed'] as const;
export type WaitKind = (typeof waitKinds)[number];

/**
 * How a wait ended; docs/waiting-time.md defines which of them count.
 *
 * - `terminal`: answered at the agent's terminal. `remote`: answered from elsewhere, through `via`.
 * - `activity`: an event shows that it is over; the answer was given before that.
 * - `prompt`: the next prompt came. `replaced`: the session asked something newer.
 * - `resumed`: the agent went on without an answer. `ended`: the session ended.
 * - `expired`: no reaction in time. `abandoned`: its process was found to be gone.
 */
export const waitEndings = [
  'terminal',
  'remote',
  'activity',
  'prompt',
  'replaced',
  'resumed',
  'ended',
  'expired',
  'abandoned',
] as const;
export type WaitEnding = (typeof waitEndings)[number];

/** A session has at most one. */
export interface OpenWait {
  readonly kind: WaitKind;
  readonly since: number;
  /** The event that began it; null if it was removed meanwhile. */
  readonly question: () => HookEvent | null;
}

/** What an event means for the waits of its session; null: nothing. */
export interface WaitChange {
  /** Ends the open wait. */
  readonly ended: WaitEnd | null;
  /** Begins a wait with this event. */
  readonly begun: { readonly kind: WaitKind; readonly since: number } | null;
}

export interface WaitEnd {
  /** Unix ms; not before the wait began. */
  readonly until: number;
  readonly ending: WaitEnding;
  /** Through which the answer came, such as "ntfy"; null: at the terminal, or unknown. */
  readonly via: string | null;
  /** What a person decided at the terminal; absent or null: unknown. */
  readonly answer?: PermissionAnswer | null;
}

export type PermissionAnswer = 'allowed' | 'denied';

/** A period that does not count as waiting time, Unix ms: `asleep`, the machine; `off`, the daemon did not run. */
export interface WaitingGap {
  readonly from: number;
  readonly to: number;
  readonly cause: 'asleep' | 'off';
}

/** An ended wait whose length is not computed yet. */
export interface EndedWait {
  readonly kind: WaitKind;
  readonly since: number;
  readonly until: number;
}

export interface WaitLength {
  /** The local day on which it began, "2026-01-05". */
  readonly day: string;
  /** Without gaps, and at most the limit of its kind. */
  readonly waitedMs: number;
  /** The part of it within working hours. */
  readonly workingMs: number;
  /** Gaps within it. */
  readonly gapMs: number;
}

export interface MeasuredWait extends WaitLength {
  readonly kind: WaitKind;
  readonly agent: AgentName;
  readonly ending: WaitEnding;
}

/** Computes the length of a wait; pure and synchronous, because it runs inside a transaction. */
export type MeasureWait = (wait: EndedWait, gaps: readonly WaitingGap[]) => WaitLength;

/** Waits with the same properties. */
export interface WaitSeries {
  readonly day: string;
  readonly kind: WaitKind;
  readonly agent: AgentName;
  readonly project: string | null;
  /** The paired machine; null: this one. */
  readonly machine: string | null;
  readonly ending: WaitEnding;
  /** The last notification before the end: its channel and its step in the plan; null: none was sent. */
  readonly channel: string | null;
  readonly step: number | null;
  readonly workingMs: number;
  readonly gapMs: number;
  /** One per wait, unordered. */
  readonly waitsMs: readonly number[];
  /** From that notification to the end; empty without one. */
  readonly returnsMs: readonly number[];
}

/** What a request is an instance of, and names of `requestRisks`; null: it is unlike any other. */
export type RequestName = readonly [name: string, risks: readonly string[]] | null;

/** Requests of this machine with the same name that ended in the same way. */
export interface RequestSeries {
  readonly agent: AgentName;
  readonly project: string | null;
  readonly request: RequestName;
  readonly ending: WaitEnding;
  /** Null: no event shows it, or it was a question. */
  readonly answer: PermissionAnswer | null;
  /** One per wait, unordered. */
  readonly waitsMs: readonly number[];
}

/** A request of this machine that was measured, with its event. */
export interface MeasuredRequest extends Pick<RequestSeries, 'ending' | 'answer'> {
  readonly event: HookEvent;
  readonly waitedMs: number;
}

export interface WorkingHours extends HourRange {
  /** Days of the week on which they begin, 0 = Sunday; null: every day. */
  readonly days: readonly number[] | null;
}

/** A period, Unix ms: from `since` (inclusive) to `until` (exclusive). */
export interface WaitingPeriod {
  readonly since: number;
  readonly until: number;
}

/** The part of the store with the waits: a row for each, from its beginning to long after its end. */
export interface WaitStore {
  /** Computes the length of ended waits that have none, at most `limit`, and returns them. */
  measure(query: {
    readonly measure: MeasureWait;
    /** Channels that no one reads as a notification. */
    readonly exceptChannels: readonly string[];
    readonly limit: number;
  }): Promise<readonly MeasuredWait[]>;
  series(period: WaitingPeriod): Promise<readonly WaitSeries[]>;
  requests(period: WaitingPeriod): Promise<readonly RequestSeries[]>;
  /** Names measured requests of this machine that have no name yet, at most `limit`; returns how many. */
  nameRequests(query: {
    readonly nameOf: (event: Pick<HookEvent, 'asked' | 'tool'>) => RequestName;
    readonly limit: number;
  }): Promise<number>;
  /** The requests of this machine of the newest days in the period whose events are kept, at most `limit`. */
  measuredRequests(
    query: WaitingPeriod & { readonly limit: number },
  ): Promise<readonly MeasuredRequest[]>;
  /** The newest calls of tools on this machine since then, before the event with this number; at most `limit`. */
  toolCalls(query: {
    readonly since: number;
    readonly before: number;
    readonly limit: number;
  }): Promise<readonly (HookRecord & { readonly seq: number })[]>;
  /** Gaps that overlap the period, oldest first. */
  gaps(period: WaitingPeriod): Promise<readonly WaitingGap[]>;
  /** Records a gap, and measures the ended waits again that it overlaps. */
  addGap(gap: WaitingGap, measure: MeasureWait): Promise<void>;
  /** Moves the beginning of open waits, after the wall clock was set by `byMs`. */
  shiftOpen(byMs: number): Promise<void>;
}

/** The kind of the wait that an event of this kind begins; null if it begins none. */
export function waitKindOf(kind: Kind): WaitKind | null {
  return waitKinds.find((known) => known === kind) ?? null;
}

export const waitingDimensions = [
  'day',
  'project',
  'agent',
  'kind',
  'channel',
  'machine',
  'request',
] as const;
export type WaitingDimension = (typeof waitingDimensions)[number];

export interface WaitingFigures {
  readonly count: number;
  readonly totalMs: number;
  readonly workingMs: number;
  /** The median; null without waits. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

export interface WaitingRow {
  /** The value; null: unknown, no notification, this machine, or requests that are unlike any other. */
  readonly key: string | null;
  /** From request to answer. */
  readonly asked: WaitingFigures;
  /** From the end of a turn to the next prompt; each at most an hour. */
  readonly done: WaitingFigures;
  /** Only by request. */
  readonly request?: RequestCounts;
}

/** Why a request is not one for a rule; docs/waiting-time.md lists what counts. */
export const requestRisks = {
  deletes: 'deletes',
  'force-pushes': 'overwrites history',
  publishes: 'publishes',
  privileged: 'runs with more rights',
  'writes-out': 'sends to the network',
  secrets: 'touches secrets',
  'runs-code': 'runs code in its arguments',
  outside: 'writes outside the project',
} as const;
export type RequestRisk = keyof typeof requestRisks;

/** The risks of a pattern in words; empty: none are known. */
export function risksText(request: RequestCounts | undefined): string {
  return (request?.risks ?? [])
    .map((risk) => Object.entries(requestRisks).find(([name]) => name === risk)?.[1] ?? risk)
    .join(', ');
}

/** What became of the requests of a pattern. */
export interface RequestCounts {
  readonly allowed: number;
  readonly denied: number;
  /** Answered from elsewhere; these are allowed or denied as well. */
  readonly elsewhere: number;
  /** Not in the figures. */
  readonly unanswered: number;
  /** Allowed at the terminal within a second. */
  readonly atOnce: number;
  /** Names of `requestRisks`. */
  readonly risks: readonly string[];
  /** How often each asked. */
  readonly agents: Readonly<Record<string, number>>;
  readonly projects: Readonly<Record<string, number>>;
}

/** Returns after a notification: of these waits it was the last one before their end. */
export interface WaitingReturn {
  /** Null: no notification was sent before the end. */
  readonly channel: string | null;
  /** The step of the plan, counted from 0. */
  readonly step: number | null;
  readonly count: number;
  /** From the notification to the end; null without one. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

export interface WaitingReport extends WaitingPeriod {
  readonly by: WaitingDimension;
  /** By day: in order; by anything else: the longest total first. */
  readonly rows: readonly WaitingRow[];
  readonly asked: WaitingFigures;
  readonly done: WaitingFigures;
  /** Both kinds of waits; most frequent first. */
  readonly returns: readonly WaitingReturn[];
  /** Waits that ended without an answer, which the figures omit, by ending. */
  readonly unanswered: Readonly<Partial<Record<WaitEnding, number>>>;
  /** Gaps in the period, and how much of them lay within waits. */
  readonly excluded: { readonly gaps: number; readonly ms: number };
}

export type ReadWaiting = (
  query: WaitingPeriod & { readonly by: WaitingDimension },
) => Promise<WaitingReport>;

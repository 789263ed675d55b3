import type { SessionView, WaitingView } from '../../control/contract.ts';
import { pausedText } from '../../core/session.ts';
import {
  risksText,
  type WaitEnding,
  waitingDimensions,
  type WaitingDimension,
  type WaitingFigures,
} from '../../core/waiting.ts';
import { countOf } from '../../text/count.ts';
import { durationText } from '../../text/duration.ts';
import type { DefineCommand } from '../context.ts';
import { readWord } from '../option-values.ts';
import type { Output } from '../output.ts';
import { COMPARED_DAYS, reliability } from '../reliability.ts';
import { ageSince, clockText, readSince } from '../time-text.ts';

interface Options {
  readonly by?: WaitingDimension;
  readonly since?: number;
  readonly csv?: boolean;
}

const DAY_MS = 86_400_000;
const DEFAULT_MS = 7 * DAY_MS;
const MOST_OPEN = 1_000;
/** Rows of a text; `--json` has all. */
const MOST_REQUESTS = 30;
/** Fewer may be chance. */
const OFTEN = 3;

/** `hookbell waiting`: how long agents waited for people, and what brought them back. */
export const defineWaiting: DefineCommand = (program, run) => {
  program
    .command('waiting')
    .description('show how long agents waited for you, and what brought you back')
    .option(
      '--by <dimension>',
      `one row per ${waitingDimensions.join(', ')}`,
      readWord(waitingDimensions),
    )
    .option(
      '--since <time>',
      'only waits of the last 2h, or since 09:30 or 2026-01-05; 7d by default',
      readSince,
    )
    .option('--csv', 'print CSV, for spreadsheets; durations in ms')
    .action(
      run(async ({ output, json, ask }, { by = 'day', since, csv }: Options) => {
        const from = since ?? Date.now() - DEFAULT_MS;
        const report = await ask('GET /v1/waiting', { query: { by, since: String(from) } });
        if (json) return output.json(report);
        if (csv === true) return output.csv(csvOf(report));
        if (by === 'request') return printRequests(output, report);
        const query = { state: 'waiting', limit: String(MOST_OPEN) };
        printWaiting(output, report, Date.now());
        const open = openLine(await ask('GET /v1/sessions', { query }), Date.now());
        if (open !== null) output.say(open);
        const seenSince = String(Date.now() - COMPARED_DAYS * DAY_MS);
        const seen = await ask('GET /v1/waits-seen', { query: { since: seenSince } });
        const recorded = seen.filter(({ version }) => version !== null);
        for (const agent of new Set(recorded.map((one) => one.agent)))
          output.say(
            `In ${COMPARED_DAYS} days: ${reliability(seen.filter((one) => one.agent === agent))}`,
          );
      }),
    );
};

const columns = ['count', 'total_ms', 'working_ms', 'p50_ms', 'p95_ms'] as const;

function csvOf({ by, rows }: WaitingView): readonly (readonly (string | number)[])[] {
  const header = ['asked', 'done'].flatMap((type) => columns.map((name) => `${type}_${name}`));
  return [
    [by, ...header],
    ...rows.map(({ key, asked, done }) => [key ?? '', ...cellsOf(asked), ...cellsOf(done)]),
  ];
}

function cellsOf(figures: WaitingFigures): readonly (string | number)[] {
  const { count, totalMs, workingMs, p50Ms, p95Ms } = figures;
  return [count, totalMs, workingMs, p50Ms ?? '', p95Ms ?? ''];
}

function printWaiting(output: Output, report: WaitingView, now: number): void {
  const { by, rows, asked, done, returns } = report;
  if (rows.length === 0) output.say('No wait has ended in this time');
  else {
    const titles = ['COUNT', 'TOTAL', 'AT WORK', 'P50', 'P95'];
    const lines = rows.length === 1 ? rows : [...rows, { key: 'all', asked, done }];
    output.table(
      [by.toUpperCase(), 'ASKED', ...titles.slice(1), 'DONE', ...titles.slice(1)],
      lines.map((row) => [
        row.key ?? unnamed[by] ?? '-',
        ...textsOf(row.asked),
        ...textsOf(row.done),
      ]),
      { right: new Set(titles.concat(titles).map((_, column) => column + 1)) },
    );
    output.line();
    output.table(
      ['BROUGHT BACK BY', 'STEP', 'COUNT', 'P50', 'P95'],
      returns.map(({ channel, step, count, p50Ms, p95Ms }) => [
        channel ?? 'no notification',
        step === null ? '-' : String(step + 1),
        String(count),
        timeText(p50Ms),
        timeText(p95Ms),
      ]),
      { right: new Set([1, 2, 3, 4]) },
    );
  }
  for (const remark of remarksOn(report)) output.say(remark);
  for (const session of report.paused) output.say(pausedLine(session, now));
}

/** What the waits for answers are made of, and what was allowed without reading. */
function printRequests(output: Output, { rows, asked }: WaitingView): void {
  if (rows.length === 0) return output.say('No request has been answered in this time');
  const counted = ['ASKED', 'TOTAL', 'MEDIAN', 'ALLOWED', 'DENIED', 'ELSEWHERE', 'NO ANSWER'];
  const lines = rows
    .slice(0, MOST_REQUESTS)
    .map(({ key, asked: figures, request }) => [
      key ?? 'unlike any other',
      String(figures.count + (request?.unanswered ?? 0)),
      durationText(figures.totalMs),
      timeText(figures.p50Ms),
      ...[request?.allowed, request?.denied, request?.elsewhere, request?.unanswered].map(String),
      Object.keys(request?.agents ?? {}).join(', '),
      risksText(request),
    ]);
  output.table(['REQUEST', ...counted, 'AGENT', 'RISKS'], lines, {
    right: new Set(counted.map((_, column) => column + 1)),
  });
  output.say(`${countOf(asked.count, 'request')} took ${durationText(asked.totalMs)} in all`);
  for (const { key, request } of rows) {
    if (request === undefined || request.atOnce < OFTEN || key === null) continue;
    const risks = risksText(request);
    output.say(
      `Allowed without reading, within a second, ${request.atOnce} times: ${key}${risks === '' ? '' : `, which ${risks}`}`,
    );
  }
  const silent = new Set(rows.flatMap(({ request }) => Object.keys(request?.agents ?? {})));
  for (const { request } of rows) {
    if (request === undefined || request.allowed + request.denied === 0) continue;
    for (const agent of Object.keys(request.agents)) silent.delete(agent);
  }
  if (silent.size > 0) {
    output.say(`Not reported whether allowed or denied: requests of ${[...silent].join(', ')}`);
  }
}

/** Waits are counted when they end; null: none is open. */
function openLine(open: readonly SessionView[], now: number): string | null {
  const [first] = open.map(({ since }) => since).toSorted();
  if (first === undefined) return null;
  const wait = open.length === 1 ? 'waits' : 'wait';
  return `${countOf(open.length, 'session')} ${wait} now, the longest for ${ageSince(first, now)}: hookbell sessions`;
}

/** A paused session waits for a time, not for a person. */
function pausedLine(session: SessionView, now: number): string {
  const name = session.title ?? session.project ?? session.sessionId ?? session.key;
  return `${name}: ${pausedText(session, (at) => clockText(at, now)) ?? session.state}`;
}

/** Names of a missing value. */
const unnamed: Readonly<Partial<Record<WaitingDimension, string>>> = {
  channel: 'no notification',
  machine: 'this one',
  request: 'unlike any other',
};

function textsOf({ count, totalMs, workingMs, p50Ms, p95Ms }: WaitingFigures): readonly string[] {
  if (count === 0) return ['0', '-', '-', '-', '-'];
  return [String(count), ...[totalMs, workingMs, p50Ms, p95Ms].map(timeText)];
}

function timeText(ms: number | null): string {
  return ms === null ? '-' : durationText(ms);
}

const endings: Readonly<Partial<Record<WaitEnding, string>>> = {
  resumed: 'went on without an answer',
  ended: 'ended with their session',
  expired: 'expired',
  abandoned: 'ended with their process',
};

function remarksOn({ unanswered, excluded }: WaitingView): readonly string[] {
  const left = Object.entries(endings).flatMap(([ending, text]) => {
    const count = Object.entries(unanswered).find(([name]) => name === ending)?.[1] ?? 0;
    return count === 0 ? [] : [`${count} ${text}`];
  });
  const gaps = countOf(excluded.gaps, 'gap');
  return [
    ...(left.length === 0 ? [] : [`Not counted, because no one answered: ${left.join(', ')}`]),
    ...(excluded.gaps === 0
      ? []
      : [
          `${gaps} in which the machine was asleep or the daemon did not run; ${durationText(excluded.ms)} of waits excluded`,
        ]),
  ];
}

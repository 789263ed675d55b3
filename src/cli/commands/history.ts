import { Option } from 'commander';

import type { HistoryView } from '../../control/contract.ts';
import { whyNoNews } from '../../core/decision.ts';
import { deliveryStates } from '../../core/delivery.ts';
import { agentNames, kinds } from '../../core/hook-event.ts';
import { UsageError } from '../../platform/errors.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { cutToWidth, displayWidth } from '../display-width.ts';
import { followHistory } from '../live/follow-history.ts';
import { readLimit, readWord } from '../option-values.ts';
import { escapeControls, type Output } from '../output.ts';
import { muteNotice, shortenIds, shortId } from '../short-id.ts';
import { localTimeText, readSince, withLocalTimes } from '../time-text.ts';
import { entryOf, formatEntry, recordedEvents } from '../timeline.ts';

interface Options {
  readonly limit?: number;
  readonly before?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly suppressed?: boolean;
  readonly rang?: boolean;
  readonly project?: string;
  readonly kind?: string;
  readonly since?: number;
  readonly export?: boolean;
  readonly follow?: boolean;
  readonly after?: string;
}

/** How many events are exported without `--limit`. */
const EXPORTED = 10_000;
const TITLE_WIDTH = 60;
/** Of event (its ids begin with the time, in ms), time, project and agent, where the rows come one by one. */
const FOLLOWED_WIDTHS = [13, 8, 16, 8];

/** `hookbell history`: lists events and their outcomes. */
export const defineHistory: DefineCommand = (program, run) => {
  program
    .command('history')
    .description('list events and their notifications, newest first')
    .option('-n, --limit <n>', 'at most this many', readLimit)
    .option(
      '--since <time>',
      'only events of the last 2h, or since 09:30, yesterday or 2026-01-05',
      readSince,
    )
    .option('--before <id>', 'only events older than this one')
    .option('--session <id>', 'only events of this session')
    .option('--project <name>', 'only events of this project')
    .option('--agent <name>', 'only events of this agent', readWord(agentNames))
    .option('--kind <kind>', 'only events of this kind', readWord(kinds))
    .addOption(
      new Option(
        '--rang',
        'only events that notified you; with --follow also those about to notify you',
      ).conflicts('suppressed'),
    )
    .option('--suppressed', 'only events that did not notify you')
    .option('--follow', 'print new events as they come in; with --json one per line')
    .option('--after <id>', 'with --follow: start after this event instead of the newest')
    .option('--export', 'write a timeline for "hookbell route replay", oldest first')
    .action(run(history));
};

/** @throws UsageError for options that exclude each other */
async function history(
  context: CommandContext,
  { limit, before, after, follow, export: isExport, ...conditions }: Options,
): Promise<void> {
  const { output, json, ask } = context;
  const filter = {
    ...conditions,
    since: conditions.since?.toString(),
    suppressed: conditions.suppressed === true ? '1' : undefined,
    rang: conditions.rang === true ? '1' : undefined,
  };
  // Resolves the beginning of an id, as the table shows it, and fails if no event has it.
  const wholeId = async (id: string | undefined): Promise<string | undefined> =>
    id === undefined ? undefined : (await ask('GET /v1/events', { part: id })).eventId;
  if (follow === true) {
    if (before !== undefined) {
      throw new UsageError(
        '"--follow" and "--before" exclude each other: "--follow" shows new events',
      );
    }
    if (isExport === true) {
      throw new UsageError(
        '"--follow" and "--export" exclude each other: "--export" writes one complete timeline',
      );
    }
    const start = await wholeId(after);
    if (!json && output.isTerminal) {
      output.line(output.paint('dim', followLine(['EVENT', 'TIME', 'PROJECT', 'AGENT', 'WHAT'])));
    }
    return followHistory(context, { limit, after: start, filter }, (event) => {
      if (json) output.jsonLine(event);
      else output.line(lineOf(event, Date.now()));
    });
  }
  if (after !== undefined) throw new UsageError('"--after" needs "--follow"');
  if (isExport === true) {
    for (const event of await recordedEvents(context, limit ?? EXPORTED)) {
      const entry = entryOf(event);
      if (entry !== null) output.line(escapeControls(formatEntry(entry)));
    }
    return;
  }
  const query = { ...filter, limit: limit?.toString(), before: await wholeId(before) };
  const events = await ask('GET /v1/history', { query });
  if (json) return output.json(events);
  printHistory(output, events, Date.now());
  const muted = muteNotice(await ask('GET /v1/mutes'), Date.now());
  if (muted !== null) output.say(muted);
}

/** Formats a new event on one line; its outcome is not known yet. */
function lineOf({ eventId, at, project, agent, called, title }: HistoryView, now: number): string {
  const id = eventId.slice(0, FOLLOWED_WIDTHS[0]);
  return followLine([id, localTimeText(at, now), project ?? '-', called ?? agent, title]);
}

/** One line as of a table whose further rows are not known yet. */
function followLine(cells: readonly string[]): string {
  const shown = cells.map((cell, index) => {
    const width = FOLLOWED_WIDTHS[index] ?? TITLE_WIDTH;
    // A date is not cut.
    const text = index === 1 ? cell : cutToWidth(displayLine(cell), width);
    return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
  });
  return shown.join('  ').trimEnd();
}

function printHistory(output: Output, events: readonly HistoryView[], now: number): void {
  if (events.length === 0) return output.say('No events');
  const short = shortenIds(events.map(({ eventId }) => eventId));
  output.table(
    ['EVENT', 'TIME', 'PROJECT', 'AGENT', 'WHAT', 'THEN'],
    events.map((entry) => [
      short(entry.eventId),
      localTimeText(entry.at, now),
      entry.project ?? '-',
      entry.called ?? entry.agent,
      entry.title,
      withLocalTimes(outcomeOf(entry), now),
    ]),
  );
}

/** "sent: desktop, inbox; retrying: team", or why no one was notified. */
function outcomeOf(event: HistoryView): string {
  const { deliveries, decisions } = event;
  if (deliveries.length === 0) {
    const last = decisions.at(-1);
    const isSent = last?.stage === 'delivery' && last.verdict === 'notify';
    return `${isSent ? '' : 'silent: '}${whyNoNews(event) ?? last?.reason ?? 'no decision'}`;
  }
  const states = deliveries.map(({ state, sentWith }) =>
    sentWith === null ? state : `sent with ${shortId(sentWith)}`,
  );
  return [...deliveryStates, ...new Set(states)]
    .filter((state, index, all) => states.includes(state) && all.indexOf(state) === index)
    .map((state) => {
      const those = deliveries.filter((_, index) => states[index] === state);
      return `${state}: ${those.map(({ channel }) => channel).join(', ')}`;
    })
    .join('; ');
}

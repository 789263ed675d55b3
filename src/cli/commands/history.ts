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
    .action(({ limit, before, session, agent, ...options }: Options) =>
      run(async (context) => {
        const { output, json, ask } = context;
        const filter = {
          session,
          agent,
          project: options.project,
          kind: options.kind,
          since: options.since?.toString(),
          suppressed: options.suppressed === true ? '1' : undefined,
          rang: options.rang === true ? '1' : undefined,
        };
        if (options.follow === true) {
          const after = await startOf(context, options.after, { before, export: options.export });
          if (!json && output.isTerminal) {
            output.line(
              output.paint('dim', followLine(['EVENT', 'TIME', 'PROJECT', 'AGENT', 'WHAT'])),
            );
          }
          await followHistory(context, { limit, after, filter }, (event) => {
            if (json) output.jsonLine(event);
            else output.line(lineOf(event, Date.now()));
          });
          return;
        }
        if (options.after !== undefined) throw new UsageError('"--after" needs "--follow"');
        if (options.export === true) {
          const events = await recordedEvents(context, limit ?? EXPORTED);
          for (const event of events) {
            const entry = entryOf(event);
            if (entry !== null) output.line(escapeControls(formatEntry(entry)));
          }
          return;
        }
        // Resolves the beginning of an id, as the table shows it, and fails if no event has it.
        const border = before === undefined ? null : await ask('GET /v1/events', { part: before });
        const history = await ask('GET /v1/history', {
          query: { ...filter, limit: limit?.toString(), before: border?.eventId },
        });
        if (json) output.json(history);
        else {
          printHistory(output, history, Date.now());
          const muted = muteNotice(await ask('GET /v1/mutes'), Date.now());
          if (muted !== null) output.say(muted);
        }
      }),
    );
};

/** Returns the full id of the event to start after. @throws UsageError for options that exclude `--follow` */
async function startOf(
  { ask }: Pick<CommandContext, 'ask'>,
  after: string | undefined,
  {
    before,
    export: isExport,
  }: { readonly before: string | undefined; readonly export: boolean | undefined },
): Promise<string | undefined> {
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
  if (after === undefined) return undefined;
  return (await ask('GET /v1/events', { part: after })).eventId;
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

function printHistory(output: Output, history: readonly HistoryView[], now: number): void {
  if (history.length === 0) {
    output.say('No events');
    return;
  }
  const short = shortenIds(history.map(({ eventId }) => eventId));
  output.table(
    ['EVENT', 'TIME', 'PROJECT', 'AGENT', 'WHAT', 'THEN'],
    history.map((entry) => [
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

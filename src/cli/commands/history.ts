import type { HistoryView } from '../../core/control.ts';
import { deliveryStates } from '../../core/delivery.ts';
import { UsageError } from '../../core/errors.ts';
import { agentNames } from '../../core/hook-event.ts';
import { cutText, displayLine } from '../../core/sanitize.ts';
import type { CommandContext } from '../context.ts';
import type { DefineCommand } from '../define-command.ts';
import { followHistory } from '../follow-history.ts';
import { readLimit, readWord } from '../option-values.ts';
import { muteNotice } from '../mute-text.ts';
import type { Output } from '../output.ts';
import { shortId } from '../short-id.ts';
import { recordedEvents } from '../recorded-events.ts';
import { localTime } from '../time-text.ts';
import { escapeControls } from '../output.ts';
import { entryOf, formatEntry } from '../timeline.ts';

interface Options {
  readonly limit?: number;
  readonly before?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly suppressed?: boolean;
  readonly export?: boolean;
  readonly follow?: boolean;
  readonly after?: string;
}

/** How many events are exported unless `--limit` says otherwise. */
const EXPORTED = 10_000;
const TITLE_WIDTH = 60;
const REASON_WIDTH = 100;

/** `hookbell history`: what came in, and what became of it. */
export const defineHistory: DefineCommand = (program, run) => {
  program
    .command('history')
    .description('list events and their notifications, newest first')
    .option('--limit <n>', 'at most so many', readLimit)
    .option('--before <id>', 'only what is older than this event')
    .option('--session <id>', 'only events of this session')
    .option('--agent <name>', 'only events of this agent', readWord(agentNames))
    .option('--suppressed', 'only events that nobody was told of')
    .option('--follow', 'go on with what comes in, the oldest first; with --json a line each')
    .option('--after <id>', 'with --follow: begin behind this event instead of with the newest')
    .option('--export', 'write a timeline for "hookbell route replay", the oldest first')
    .action(({ limit, before, session, agent, suppressed, ...options }: Options) =>
      run(async (context) => {
        const { output, json, ask } = context;
        if (options.follow === true) {
          const refused = { suppressed, before, export: options.export };
          const after = await startOf(context, options.after, refused);
          await followHistory(context, { limit, after, session, agent }, (event) => {
            if (json) output.jsonLine(event);
            else output.line(lineOf(event, Date.now()));
          });
          return;
        }
        if (options.after !== undefined) throw new UsageError('"--after" is for "--follow"');
        if (options.export === true) {
          const events = await recordedEvents(context, limit ?? EXPORTED);
          for (const event of events) {
            const entry = entryOf(event);
            if (entry !== null) output.line(escapeControls(formatEntry(entry)));
          }
          return;
        }
        // Takes what the table shows, the beginning of an id, and says so when no event has it.
        const border = before === undefined ? null : await ask('GET /v1/events', { part: before });
        const history = await ask('GET /v1/history', {
          query: {
            limit: limit?.toString(),
            before: border?.eventId,
            session,
            agent,
            suppressed: suppressed === true ? '1' : undefined,
          },
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

/** The whole id of the event to begin behind. @throws UsageError for what does not go with `--follow` */
async function startOf(
  { ask }: Pick<CommandContext, 'ask'>,
  after: string | undefined,
  refused: object,
): Promise<string | undefined> {
  const [name] = Object.entries(refused).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) throw new UsageError(`"--follow" does not go with "--${name}"`);
  if (after === undefined) return undefined;
  return (await ask('GET /v1/events', { part: after })).eventId;
}

/** What came in, on one line; what became of it is not known yet. */
function lineOf({ eventId, at, project, agent, title }: HistoryView, now: number): string {
  const place = displayLine(project ?? '-');
  const what = cutText(displayLine(title), TITLE_WIDTH);
  return `${shortId(eventId)}  ${localTime(at, now)}  ${place}  ${agent}  ${what}`;
}

function printHistory(output: Output, history: readonly HistoryView[], now: number): void {
  if (history.length === 0) {
    output.say('No event to show');
    return;
  }
  output.table(
    ['EVENT', 'TIME', 'PROJECT', 'AGENT', 'WHAT', 'THEN'],
    history.map((entry) => [
      shortId(entry.eventId),
      localTime(entry.at, now),
      entry.project ?? '-',
      entry.agent,
      cutText(displayLine(entry.title), TITLE_WIDTH),
      cutText(displayLine(outcomeOf(entry)), REASON_WIDTH),
    ]),
  );
}

/** "sent: desktop, inbox; retrying: team", or why nobody was told. */
function outcomeOf({ deliveries, decisions }: HistoryView): string {
  if (deliveries.length === 0) return `silent: ${decisions.at(-1)?.reason ?? 'no decision'}`;
  return deliveryStates
    .map((state) => ({ state, those: deliveries.filter((delivery) => delivery.state === state) }))
    .filter(({ those }) => those.length > 0)
    .map(({ state, those }) => `${state}: ${those.map(({ channel }) => channel).join(', ')}`)
    .join('; ');
}

import type { AlertView } from '../../control/contract-views.ts';
import type { Output } from '../output.ts';
import { shortenIds, shortId } from '../short-id.ts';
import { ageSince, localTimeText, readDuration } from '../time-text.ts';
import { parseDuration } from '../../text/duration.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import type { CommandContext, DefineCommand } from '../context.ts';

interface Choice {
  readonly session: string | undefined;
  readonly all: boolean;
}

/** `hookbell ack [SESSION]`: acknowledges an alert, which cancels its later steps. */
export const defineAck: DefineCommand = (program, run) => {
  program
    .command('ack')
    .argument('[session]', 'session id or its beginning; optional if only one alert is open')
    .description('acknowledge an alert and stop its escalation')
    .option('--all', 'all open alerts')
    .action((session: string | undefined, { all }: { readonly all?: boolean }) =>
      run((context) => acknowledge(context, { session, all: all ?? false })),
    );
};

/**
 * @throws UsageError when it is not clear which alert is meant
 * @throws NotFoundError when the session has none
 */
async function acknowledge(context: CommandContext, choice: Choice): Promise<void> {
  const { output, json, ask } = context;
  const body = await bodyOf(context, choice);
  const { count } = body === null ? { count: 0 } : await ask('POST /v1/ack', { body });
  if (count === 0 && choice.session !== undefined) {
    throw new NotFoundError(`Session "${choice.session}" has no open alert`, {
      hint: 'Run "hookbell sessions" to list waiting sessions',
    });
  }
  if (json) output.json({ count });
  else output.say(count === 0 ? 'No open alerts' : `${count} acknowledged`);
}

/** The request body for the daemon; null when no alert can be acknowledged. */
async function bodyOf(context: CommandContext, { session, all }: Choice): Promise<object | null> {
  if (session !== undefined && all) {
    throw new UsageError('Specify one session or --all, not both');
  }
  if (all) return { all: true };
  if (session !== undefined) return { session };
  const only = await onlyOpen(context);
  return only === null ? null : { session: only.session };
}

/**
 * Returns the only open alert; null if no alert is open.
 *
 * @throws UsageError if several are open, after listing them
 */
async function onlyOpen({ output, json, ask }: CommandContext): Promise<AlertView | null> {
  const alerts = await ask('GET /v1/alerts');
  const open = alerts.filter(({ state }) => state === 'open');
  if (open.length <= 1) return open[0] ?? null;
  if (json) output.json(open);
  else printAlerts(output, open, Date.now());
  throw new UsageError(`${open.length} alerts are open`, {
    hint: 'Run "hookbell ack SESSION" with one of them, or "hookbell ack --all"',
  });
}

/** The id of a session in its key; the key itself where the agent sends no id. */
function idOf(key: string): string {
  return key.replace(/^[^:]*:(?!at:)/, '');
}

function printAlerts(output: Output, alerts: readonly AlertView[], now: number): void {
  const short = shortenIds(alerts.map(({ session }) => idOf(session)));
  output.table(
    ['SESSION', 'SINCE', 'KIND', 'PLAN'],
    alerts.map(({ session, openedAt, kind, plan }) => [
      short(idOf(session)),
      ageSince(openedAt, now),
      kind,
      plan,
    ]),
  );
}

/** Default duration. */
const SNOOZE = '30m';

/** `hookbell snooze [SESSION] [TIME]`: silences an alert and notifies again later if it is still open. */
export const defineSnooze: DefineCommand = (program, run) => {
  program
    .command('snooze')
    .argument('[session]', 'session id or its beginning; optional if only one alert is open')
    .argument('[time]', `duration, such as 2h (default: ${SNOOZE})`)
    .description('silence an alert and notify again later if it is still open')
    .action((first: string | undefined, second: string | undefined) =>
      run(async (context) => {
        const isTime = second === undefined && first !== undefined && parseDuration(first) !== null;
        const [word, time] = isTime ? [undefined, first] : [first, second ?? SNOOZE];
        const forMs = readDuration(time);
        await snoozeSession(context, word ?? (await onlyWaiting(context)), forMs);
      }),
    );
};

/** Silences the alert of a session for a duration, ms, and prints until when. */
export async function snoozeSession(
  { output, json, ask }: CommandContext,
  session: string,
  forMs = readDuration(SNOOZE),
): Promise<void> {
  const snoozed = await ask('POST /v1/snooze', { body: { session, forMs } });
  if (json) return output.json(snoozed);
  const until = localTimeText(snoozed.until, Date.now());
  output.say(`Session ${shortId(snoozed.session)} is snoozed until ${until}`);
}

/**
 * Returns the session of the only live alert.
 *
 * @throws UsageError when there are several
 * @throws NotFoundError when there is none
 */
async function onlyWaiting({ ask }: CommandContext): Promise<string> {
  const [only, ...others] = await ask('GET /v1/alerts');
  if (only === undefined) throw new NotFoundError('No open alerts');
  if (others.length === 0) return only.session;
  throw new UsageError(`${others.length + 1} alerts are open`, {
    hint: 'Run "hookbell sessions", then "hookbell snooze ID 30m" with one of them',
  });
}

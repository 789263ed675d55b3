import type { AlertView } from '../../control/contract-views.ts';
import { shortenIds, shortId } from '../short-id.ts';
import { ageSince, localTimeText, readDuration } from '../time-text.ts';
import { parseDuration } from '../../text/duration.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import type { CommandContext, DefineCommand } from '../context.ts';

/** `hookbell ack [SESSION]`: acknowledges an alert, which cancels its later steps. */
export const defineAck: DefineCommand = (program, run) => {
  program
    .command('ack')
    .argument('[session]', 'session id or its beginning; optional if only one alert is open')
    .description('acknowledge an alert and stop its escalation')
    .option('--all', 'all open alerts')
    .action(run(acknowledge));
};

/** @throws UsageError when it is not clear which alert is meant. @throws NotFoundError when the session has none */
async function acknowledge(
  context: CommandContext,
  session: string | undefined,
  { all = false }: { readonly all?: boolean },
): Promise<void> {
  const { output, json, ask } = context;
  if (session !== undefined && all) {
    throw new UsageError('Specify one session or --all, not both');
  }
  const named = session ?? (all ? undefined : (await onlyOpen(context))?.session);
  const body = all ? { all } : { session: named };
  const { count } = all || named !== undefined ? await ask('POST /v1/ack', { body }) : { count: 0 };
  if (count === 0 && session !== undefined) {
    throw new NotFoundError(`Session "${session}" has no open alert`, {
      hint: 'Run "hookbell sessions" to list waiting sessions',
    });
  }
  if (json) output.json({ count });
  else output.say(count === 0 ? 'No open alerts' : `${count} acknowledged`);
}

/** Returns the only open alert, if any. @throws UsageError if several are open, after listing them */
async function onlyOpen({ output, json, ask }: CommandContext): Promise<AlertView | undefined> {
  const alerts = await ask('GET /v1/alerts');
  const open = alerts.filter(({ state }) => state === 'open');
  if (open.length <= 1) return open[0];
  const short = shortenIds(open.map(({ session }) => idOf(session)));
  if (json) output.json(open);
  else {
    output.table(
      ['SESSION', 'SINCE', 'KIND', 'PLAN'],
      open.map(({ session, openedAt, kind, plan }) => [
        short(idOf(session)),
        ageSince(openedAt, Date.now()),
        kind,
        plan,
      ]),
    );
  }
  throw new UsageError(`${open.length} alerts are open`, {
    hint: 'Run "hookbell ack SESSION" with one of them, or "hookbell ack --all"',
  });
}

/** The id of a session in its key; the key itself where the agent sends no id. */
function idOf(key: string): string {
  return key.replace(/^[^:]*:(?!at:)/, '');
}

const SNOOZE = '30m';

/** `hookbell snooze [SESSION] [TIME]`: silences an alert and notifies again later if it is still open. */
export const defineSnooze: DefineCommand = (program, run) => {
  program
    .command('snooze')
    .argument('[session]', 'session id or its beginning; optional if only one alert is open')
    .argument('[time]', `duration, such as 2h (default: ${SNOOZE})`)
    .description('silence an alert and notify again later if it is still open')
    .action(
      run(async (context, first: string | undefined, second: string | undefined) => {
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

/** Returns the session of the only live alert. @throws UsageError for several, NotFoundError for none */
async function onlyWaiting({ ask }: CommandContext): Promise<string> {
  const [only, ...others] = await ask('GET /v1/alerts');
  if (only === undefined) throw new NotFoundError('No open alerts');
  if (others.length === 0) return only.session;
  throw new UsageError(`${others.length + 1} alerts are open`, {
    hint: 'Run "hookbell sessions", then "hookbell snooze ID 30m" with one of them',
  });
}

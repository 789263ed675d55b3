import { parseDuration } from '../../text/duration.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { shortId } from '../short-id.ts';
import { localTimeText, readDuration } from '../time-text.ts';

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

/** Silences the alert of a session for so long, ms, and reports until when. */
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

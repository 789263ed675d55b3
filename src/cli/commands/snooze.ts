import { parseDuration } from '../../text/duration.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { shortId } from '../short-id.ts';
import { localTime, readDuration } from '../time-text.ts';

/** Unless the person says for how long. */
const SNOOZE = '30m';

/** `hookbell snooze [SESSION] [TIME]`: quiet now, and a second notification later if the alert is still open. */
export const defineSnooze: DefineCommand = (program, run) => {
  program
    .command('snooze')
    .argument('[session]', 'id of a session or the beginning of one; not needed if one alone waits')
    .argument('[time]', `how long, such as 2h; ${SNOOZE} by default`)
    .description('silence an alert and notify again later if it is still open')
    .action((first: string | undefined, second: string | undefined) =>
      run(async (context) => {
        const { output, json, ask } = context;
        const isTime = second === undefined && first !== undefined && parseDuration(first) !== null;
        const [word, time] = isTime ? [undefined, first] : [first, second ?? SNOOZE];
        const forMs = readDuration(time);
        const session = word ?? (await onlyWaiting(context));
        const snoozed = await ask('POST /v1/snooze', { body: { session, forMs } });
        if (json) return output.json(snoozed);
        const until = localTime(snoozed.until, Date.now());
        output.say(`Session ${shortId(snoozed.session)} is snoozed until ${until}`);
      }),
    );
};

/**
 * The session of the one live alert.
 *
 * @throws UsageError when there are several
 * @throws NotFoundError when there is none
 */
async function onlyWaiting({ ask }: CommandContext): Promise<string> {
  const [only, ...others] = await ask('GET /v1/alerts');
  if (only === undefined) throw new NotFoundError('No alert is open');
  if (others.length === 0) return only.session;
  throw new UsageError(`${others.length + 1} alerts are open`, {
    hint: 'Run "hookbell sessions", then "hookbell snooze ID 30m" with one of them',
  });
}

import type { AlertView } from '../../control/contract.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import type { Output } from '../output.ts';
import { shortenIds } from '../short-id.ts';
import { ageSince } from '../time-text.ts';

interface Choice {
  readonly session: string | undefined;
  readonly all: boolean;
}

/** `hookbell ack [SESSION]`: "I have seen it"; the later steps of the alert fall silent. */
export const defineAck: DefineCommand = (program, run) => {
  program
    .command('ack')
    .argument('[session]', 'id of a session or the beginning of one; not needed if one alone waits')
    .description('acknowledge an alert and stop its escalation')
    .option('--all', 'every alert that is open')
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
      hint: 'Run "hookbell sessions" to see who waits',
    });
  }
  if (json) output.json({ count });
  else output.say(count === 0 ? 'No alert is open' : `${count} acknowledged`);
}

/** What to ask the daemon for; null when there is nothing to acknowledge. */
async function bodyOf(context: CommandContext, { session, all }: Choice): Promise<object | null> {
  if (session !== undefined && all) {
    throw new UsageError('Say which alerts: one session, or --all');
  }
  if (all) return { all: true };
  if (session !== undefined) return { session };
  const only = await onlyOpen(context);
  return only === null ? null : { session: only.session };
}

/**
 * The one alert that is open; null when none is.
 *
 * @throws UsageError when several are, after listing them
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

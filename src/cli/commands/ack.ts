import type { AlertView } from '../../control/contract-views.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import type { Output } from '../output.ts';
import { shortenIds } from '../short-id.ts';
import { ageSince } from '../time-text.ts';

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

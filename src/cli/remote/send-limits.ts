import { writeFile } from 'node:fs/promises';

import type { ApiError, Client, LimitEntry } from '../../api/index.ts';
import { displayText } from '../../core/sanitize.ts';
import { limitKey } from '../../reports/limit-rows.ts';
import type { CommandContext } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { commandError } from './command-error.ts';
import type { KnownLimits } from './known-limits.ts';
import type { LimitLine } from './limit-report.ts';
import { isAsAsked, limitLine, reportRows, reportText } from './limit-report.ts';

/** Limits to be set, checked already. */
export interface LimitsToSend {
  readonly entries: readonly LimitEntry[];
  readonly allowNull: boolean;
  /** Shows what would change, and sends nothing. */
  readonly dryRun: boolean;
  readonly csv: boolean;
  /** Rows of an earlier run that need not be sent, by `limitKey`. */
  readonly done: ReadonlyMap<string, LimitLine>;
  /** File for the report, kept up to date after each request; null: none. */
  readonly report: string | null;
  /** Said where not all took effect. */
  readonly advice: string;
}

const BATCH = 100;

/**
 * Sets limits, a hundred at a time, and accounts for every row: also for those whose answer was lost, and for those that were
 * not sent because an earlier request failed.
 *
 * @returns 0 when every limit is the one that was asked for, else 8
 * @throws ApiError when nothing took effect, after the rows were printed
 */
export async function sendLimits(
  context: Pick<CommandContext, 'output' | 'json' | 'paths'>,
  api: Client,
  known: KnownLimits,
  { entries, allowNull, dryRun, csv, done, report, advice }: LimitsToSend,
): Promise<ExitCode> {
  const { output, json } = context;
  const before = new Map(entries.map(({ email }) => [email, known.of(email)]));
  const left = entries.filter(({ email }) => !done.has(limitKey(email)));
  if (dryRun) {
    showPlanned(context, left, before, csv);
    return exitCodes.ok;
  }
  const lines = new Map(
    entries.map((entry): [string, LimitLine] => [
      entry.email,
      done.get(limitKey(entry.email)) ?? unanswered(entry, 'not-sent'),
    ]),
  );
  const keep = async (): Promise<void> => {
    if (report !== null) await writeFile(report, reportText([...lines.values()]));
  };
  await keep();

  let failure: ApiError | null = null;
  let updated = 0;
  for (let start = 0; start < left.length && failure === null; start += BATCH) {
    const batch = left.slice(start, start + BATCH);
    // A run that is cut short from here on leaves a report that says so.
    for (const entry of batch) lines.set(entry.email, unanswered(entry, 'lost'));
    await keep();
    const set = await api.organization.setLimits(batch, { allowNull });
    for (const outcome of set.outcomes) lines.set(outcome.email, limitLine(outcome));
    updated += set.outcomes.filter(({ outcome }) => outcome === 'updated').length;
    failure = set.failure;
    await known.keep(batch.flatMap(({ email }) => lines.get(email) ?? []));
    await keep();
  }

  const all = [...lines.values()];
  if (json) output.json(all);
  else if (csv) output.csv(reportRows(all));
  else printLines(context, all, before);
  if (report !== null) output.say(`Wrote "${report}"`);
  if (failure !== null && updated === 0) throw failure;
  if (failure !== null) {
    const { message, hint } = commandError(failure, context.paths.config);
    output.complain(displayText(message));
    if (hint !== null) output.complain(`  ${hint}`);
  }
  const isWhole = all.every(isAsAsked);
  if (!isWhole) output.say(advice);
  return isWhole ? exitCodes.ok : exitCodes.partial;
}

function unanswered(entry: LimitEntry, reason: 'lost' | 'not-sent'): LimitLine {
  return limitLine({ ...entry, outcome: 'no-answer', reason });
}

function showPlanned(
  { output, json }: Pick<CommandContext, 'output' | 'json'>,
  entries: readonly LimitEntry[],
  before: ReadonlyMap<string, string | null>,
  csv: boolean,
): void {
  const planned = entries.map(({ email, limit }) => ({
    email,
    before: before.get(email) ?? null,
    asked: String(limit),
  }));
  if (json) return output.json(planned);
  if (csv) {
    return output.csv([
      ['email', 'before', 'asked'],
      ...planned.map((row) => [row.email, row.before ?? '', row.asked]),
    ]);
  }
  output.table(
    ['E-MAIL', 'CHANGE'],
    planned.map((row) => [row.email, changeText(row.before, row.asked)]),
  );
  sayWhatBeforeMeans(output, [...before.values()]);
  output.say(`Nothing was sent: ${planned.length} would be set (standard credits)`);
}

function printLines(
  { output }: Pick<CommandContext, 'output'>,
  lines: readonly LimitLine[],
  before: ReadonlyMap<string, string | null>,
): void {
  output.table(
    ['E-MAIL', 'CHANGE', 'RESULT', 'LIMIT NOW', 'REMARK'],
    lines.map(({ email, asked, result, returnedLimit, error }) => [
      email,
      changeText(before.get(email) ?? null, asked),
      result,
      returnedLimit || '-',
      error || '-',
    ]),
    { right: new Set([3]) },
  );
  sayWhatBeforeMeans(output, [...before.values()]);
}

function changeText(before: string | null, asked: string): string {
  return `${before ?? '?'} → ${asked}`;
}

/** The interface cannot be asked for a limit. */
function sayWhatBeforeMeans(output: Output, before: readonly (string | null)[]): void {
  if (!before.includes(null)) return;
  output.say('"?": not set from this machine before; the service has no way to read a limit');
}

import { writeFile } from 'node:fs/promises';

import { UsageError } from '../../platform/errors.ts';
import { csvLine } from '../../text/csv.ts';
import { displayLine, displayText } from '../../text/sanitize.ts';
import type { ApiError, LimitEntry } from '../../vendor/client/index.ts';
import {
  isAddress,
  LIMIT_FORM,
  limitKey,
  readLimitAmount,
} from '../../vendor/reports/limit-rows.ts';
import { type CommandContext, type ExitCode, exitCodes } from '../context.ts';
import type { Output } from '../output.ts';
import {
  isAsAsked,
  knownLimits,
  type LimitLine,
  limitLine,
  reportRows,
  updatedIn,
} from './limit-report.ts';
import { readLimitFile, readLimitText } from './plan-limits.ts';
import { commandError, type ServiceAccess } from './with-client.ts';

/** What to do with validated limits. */
interface Sending extends SetOptions {
  /** Rows of an earlier run to skip, by `limitKey`. */
  readonly done: ReadonlyMap<string, LimitLine>;
  /** File for the report, kept up to date after each request; null: none. */
  readonly report: string | null;
  /** Printed unless all limits took effect. */
  readonly advice: string;
}

const BATCH = 100;

/**
 * Sets limits, 100 per request, and accounts for every row, including those with a lost response and those not sent because an
 * earlier request failed.
 *
 * @returns 0 when every limit is the requested one, else 8
 * @throws ApiError when nothing took effect, after the rows were printed
 */
async function sendLimits(
  context: CommandContext,
  { api, config }: ServiceAccess,
  entries: readonly LimitEntry[],
  { allowNull = false, dryRun = false, csv = false, done, report, advice }: Sending,
): Promise<ExitCode> {
  const { output, json, paths } = context;
  const known = knownLimits(paths.state, config.api?.baseUrl ?? '');
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
    const rows = reportRows([...lines.values()]);
    if (report !== null) await writeFile(report, rows.map((row) => csvLine(row)).join(''));
  };
  await keep();

  let failure: ApiError | null = null;
  let updated = 0;
  for (let start = 0; start < left.length && failure === null; start += BATCH) {
    const batch = left.slice(start, start + BATCH);
    // If the run is interrupted from here on, the report shows it.
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
    const { message, hint } = commandError(failure, paths.config);
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
  { output, json }: CommandContext,
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
  { output }: CommandContext,
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

/** The interface cannot read limits. */
function sayWhatBeforeMeans(output: Output, before: readonly (string | null)[]): void {
  if (!before.includes(null)) return;
  output.say('"?": not set from this machine before; the service cannot report limits');
}

interface SetOptions {
  readonly allowNull?: boolean;
  /** Shows the changes and sends nothing. */
  readonly dryRun?: boolean;
  readonly csv?: boolean;
}

interface ApplyOptions extends SetOptions {
  /** An earlier report: its updated rows are skipped and carried over. */
  readonly onlyFailed?: string;
  /** Path of the report; next to the file by default. */
  readonly report?: string;
}

/**
 * Sets the limits of a file and writes a report next to it.
 *
 * @throws UsageError when the file or the report cannot be used; ApiError when nothing took effect
 */
export async function applyLimits(
  context: CommandContext,
  service: ServiceAccess,
  path: string,
  { onlyFailed, ...options }: ApplyOptions,
): Promise<ExitCode> {
  const report = options.report ?? `${path.replace(/\.csv$/i, '')}.report.csv`;
  const nulls = options.allowNull === true ? 'accepted' : 'refused';
  const rows = await readLimitFile(path, { emptyLimit: 'refused', null: nulls });
  const entries = rows.map(({ email, limit = null }) => ({ email, limit }));
  return sendLimits(context, service, entries, {
    ...options,
    done: onlyFailed === undefined ? new Map() : doneOf(entries, await readReport(onlyFailed)),
    report,
    advice: `To apply the rest: hookbell service limits apply "${path}" --only-failed "${report}"`,
  });
}

/**
 * Sets the limits given as ADDRESS=CREDITS.
 *
 * @throws UsageError with all faults of the arguments; ApiError when nothing took effect
 */
export async function setGivenLimits(
  context: CommandContext,
  service: ServiceAccess,
  words: readonly string[],
  options: SetOptions,
): Promise<ExitCode> {
  return sendLimits(context, service, readEntries(words, options.allowNull === true), {
    ...options,
    done: new Map(),
    report: null,
    advice: 'Not all limits are as requested: setting a limit again is safe',
  });
}

/** A row counts as done only if its limit is the one now in the file. */
function doneOf(
  entries: readonly LimitEntry[],
  updated: ReadonlyMap<string, LimitLine>,
): ReadonlyMap<string, LimitLine> {
  return new Map(
    entries.flatMap(({ email, limit }) => {
      const line = updated.get(limitKey(email));
      return line?.asked === String(limit) ? [[limitKey(email), { ...line, email }]] : [];
    }),
  );
}

async function readReport(path: string): Promise<ReadonlyMap<string, LimitLine>> {
  const updated = updatedIn(await readLimitText(path));
  if (updated !== null) return updated;
  throw new UsageError(
    `"${path}" is not a report of "hookbell service limits apply", nothing was sent`,
  );
}

function readEntries(words: readonly string[], allowNull: boolean): readonly LimitEntry[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  const entries = words.map((word): LimitEntry => {
    // An address may hold "=", a number may not.
    const at = word.lastIndexOf('=');
    const email = word.slice(0, Math.max(at, 0));
    const amount = word.slice(at + 1);
    const limit = readLimitAmount(amount);
    if (at < 0) problems.push(`"${word}" has no limit, expected ADDRESS=CREDITS`);
    else if (!isAddress(email)) problems.push(`"${word}" has no email address before the limit`);
    else if (Number.isNaN(limit))
      problems.push(`"${word}" has the limit "${amount}", expected ${LIMIT_FORM}`);
    else if (limit === null && !allowNull) {
      problems.push(`"${word}" removes a limit, which needs --allow-null`);
    } else if (seen.has(limitKey(email))) problems.push(`"${email}" is given twice`);
    seen.add(limitKey(email));
    return { email, limit };
  });
  if (problems.length === 0) return entries;
  const text = problems.map((problem) => displayLine(problem)).join('\n');
  throw new UsageError(`Cannot set limits, nothing was sent:\n${text}`, {
    hint: 'For example: hookbell service limits set ann@example.com=2000000',
  });
}

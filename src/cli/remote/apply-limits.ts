import type { Client, LimitEntry } from '../../api/index.ts';
import { UsageError } from '../../core/errors.ts';
import { displayLine } from '../../core/sanitize.ts';
import { isAddress, limitKey, LIMIT_FORM, readLimitAmount } from '../../reports/limit-rows.ts';
import type { CommandContext } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { KnownLimits } from './known-limits.ts';
import { readLimitFile, readText } from './limit-file.ts';
import type { LimitLine } from './limit-report.ts';
import { updatedIn } from './limit-report.ts';
import { sendLimits } from './send-limits.ts';

export interface SetOptions {
  readonly allowNull?: boolean;
  readonly dryRun?: boolean;
  readonly csv?: boolean;
}

export interface ApplyOptions extends SetOptions {
  /** An earlier report: what it says was updated is left out and carried over. */
  readonly onlyFailed?: string;
  /** Where the report goes; beside the file by default. */
  readonly report?: string;
}

/** The service, and what is known of its limits. */
interface Service {
  readonly api: Client;
  readonly known: KnownLimits;
}

/**
 * Sets the limits of a file, with a report beside it.
 *
 * @throws UsageError when the file or the report cannot be used; ApiError when nothing took effect
 */
export async function applyLimits(
  context: Pick<CommandContext, 'output' | 'json' | 'paths'>,
  { api, known }: Service,
  path: string,
  { onlyFailed, report, allowNull = false, dryRun = false, csv = false }: ApplyOptions,
): Promise<ExitCode> {
  const target = report ?? `${path.replace(/\.csv$/i, '')}.report.csv`;
  const rules = { emptyLimit: 'refused', null: allowNull ? 'accepted' : 'refused' } as const;
  const entries = (await readLimitFile(path, rules)).map(({ email, limit = null }): LimitEntry => ({
    email,
    limit,
  }));
  return sendLimits(context, api, known, {
    entries,
    allowNull,
    dryRun,
    csv,
    done: onlyFailed === undefined ? new Map() : doneOf(entries, await readReport(onlyFailed)),
    report: target,
    advice: `To run the rest: hookbell service limits apply "${path}" --only-failed "${target}"`,
  });
}

/**
 * Sets the limits that were typed, each as ADDRESS=CREDITS.
 *
 * @throws UsageError with everything that is wrong with the words; ApiError when nothing took effect
 */
export async function setLimits(
  context: Pick<CommandContext, 'output' | 'json' | 'paths'>,
  { api, known }: Service,
  words: readonly string[],
  { allowNull = false, dryRun = false, csv = false }: SetOptions,
): Promise<ExitCode> {
  return sendLimits(context, api, known, {
    entries: readEntries(words, allowNull),
    allowNull,
    dryRun,
    csv,
    done: new Map(),
    report: null,
    advice: 'Not all of them are as asked: setting a limit again does no harm',
  });
}

/** A row counts as done only with the limit that the file has now. */
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
  const updated = updatedIn(await readText(path));
  if (updated !== null) return updated;
  throw new UsageError(
    `"${path}" is no report of "hookbell service limits apply", and nothing was sent`,
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
    else if (!isAddress(email)) problems.push(`"${word}" has no e-mail address before the limit`);
    else if (Number.isNaN(limit))
      problems.push(`"${word}" has the limit "${amount}", expected ${LIMIT_FORM}`);
    else if (limit === null && !allowNull) {
      problems.push(`"${word}" takes a limit away, which needs --allow-null`);
    } else if (seen.has(limitKey(email))) problems.push(`"${email}" is there twice`);
    seen.add(limitKey(email));
    return { email, limit };
  });
  if (problems.length === 0) return entries;
  const text = problems.map((problem) => displayLine(problem)).join('\n');
  throw new UsageError(`Cannot set limits, and nothing was sent:\n${text}`, {
    hint: 'For example: hookbell service limits set ann@example.com=2000000',
  });
}

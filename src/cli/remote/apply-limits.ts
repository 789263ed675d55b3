import { writeFile } from 'node:fs/promises';

import type { ApiError, Client, LimitEntry } from '../../api/index.ts';
import { UsageError } from '../../core/errors.ts';
import { displayText } from '../../core/sanitize.ts';
import type { CommandContext } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { readLimitFile, readText } from './limit-file.ts';
import type { LimitLine } from './limit-report.ts';
import { limitLine, reportText, updatedIn } from './limit-report.ts';

export interface ApplyOptions {
  /** An earlier report: what it says was updated is left out and carried over. */
  readonly onlyFailed?: string;
  /** Where the report goes; beside the file by default. */
  readonly report?: string;
  readonly allowNull?: boolean;
}

const BATCH = 100;

/**
 * Sets the limits of a file, a hundred at a time, and keeps the report up to date after each request, so that a run that is
 * cut short can be told from one that was not. Ends early when a request fails: the rest has no answer then.
 *
 * @throws UsageError when the file or the report cannot be used; ApiError when nothing took effect
 */
export async function applyLimits(
  { output, json }: Pick<CommandContext, 'output' | 'json'>,
  api: Client,
  path: string,
  { onlyFailed, report, allowNull = false }: ApplyOptions,
): Promise<ExitCode> {
  const target = report ?? `${path.replace(/\.csv$/i, '')}.report.csv`;
  const entries = (await readLimitFile(path)).map(({ line, email, limit }): LimitEntry => {
    if (limit !== undefined && (limit !== null || allowNull)) return { email, limit };
    const problem =
      limit === null ? 'takes a limit away, which needs --allow-null' : 'has no limit';
    throw new UsageError(
      `Cannot use "${path}", and nothing was sent:\nline ${line}: "${email}" ${problem}`,
    );
  });
  const done = onlyFailed === undefined ? new Map() : await readReport(onlyFailed);
  const lines = new Map(
    entries.map(({ email, limit }): [string, LimitLine] => [
      email,
      done.get(email.toLowerCase()) ?? limitLine({ email, limit, outcome: 'no-answer' }),
    ]),
  );
  const keep = (): Promise<void> => writeFile(target, reportText([...lines.values()]));
  await keep();

  let failure: ApiError | null = null;
  let updated = 0;
  const left = entries.filter(({ email }) => !done.has(email.toLowerCase()));
  for (let start = 0; start < left.length && failure === null; start += BATCH) {
    const set = await api.organization.setLimits(left.slice(start, start + BATCH), { allowNull });
    for (const outcome of set.outcomes) lines.set(outcome.email, limitLine(outcome));
    updated += set.outcomes.filter(({ outcome }) => outcome === 'updated').length;
    failure = set.failure;
    await keep();
  }

  const all = [...lines.values()];
  if (json) output.json(all);
  else printLines(all);
  output.say(`Wrote "${target}"`);
  if (failure !== null && updated === 0) throw failure;
  if (failure !== null) output.complain(displayText(failure.message));
  const isWhole = all.every(({ result }) => result === 'updated');
  if (!isWhole)
    output.say(`To run the rest: hookbell limits apply "${path}" --only-failed "${target}"`);
  return isWhole ? exitCodes.ok : exitCodes.partial;

  function printLines(shown: readonly LimitLine[]): void {
    output.table(
      ['E-MAIL', 'ASKED', 'RESULT', 'LIMIT NOW', 'ERROR'],
      shown.map(({ email, asked, result, returnedLimit, error }) => [
        email,
        asked,
        result,
        returnedLimit,
        error,
      ]),
      { right: new Set([1, 3]) },
    );
  }
}

async function readReport(path: string): Promise<ReadonlyMap<string, LimitLine>> {
  const updated = updatedIn(await readText(path));
  if (updated !== null) return updated;
  throw new UsageError(`"${path}" is no report of "hookbell limits apply", and nothing was sent`);
}

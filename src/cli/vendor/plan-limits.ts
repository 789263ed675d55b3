import { readFile } from 'node:fs/promises';

import { lastDays } from '../../vendor/client/index.ts';
import { UsageError, whyUnreadable } from '../../platform/errors.ts';
import { displayLine } from '../../text/sanitize.ts';
import { amountText } from '../../vendor/reports/check-budgets.ts';
import {
  type LimitFileRules,
  type LimitRow,
  readLimitRows,
  suggestLimit,
} from '../../vendor/reports/limit-rows.ts';
import { creditSeries } from '../../vendor/reports/series.ts';
import type { CommandContext } from '../context.ts';
import type { ServiceAccess } from './with-client.ts';

const DAYS = 28;

/** Compares a file of limits with the directory and the usage of the last four weeks; sends nothing. */
export async function planLimits(
  { output, json }: CommandContext,
  { api }: ServiceAccess,
  path: string,
): Promise<void> {
  const rows = await readLimitFile(path, { emptyLimit: 'accepted', null: 'accepted' });
  const { data } = await api.analytics.tokens(lastDays(DAYS, Date.now()), { stepBack: true });
  const { users } = creditSeries(data);
  const planned = [];
  for (const { email, limit } of rows) {
    const { used, limit: suggested } = suggestLimit(users.get(email.toLowerCase()));
    const isKnown = (await api.organization.directory.byEmail(email)) !== null;
    const isTight = typeof limit === 'number' && suggested !== null && limit < suggested;
    const remarks = [
      ...(isKnown ? [] : ['not in the directory']),
      ...(limit === undefined ? ['no limit in the file'] : []),
      ...(isTight ? ['below the suggestion'] : []),
    ];
    // Null: "null" or an empty cell in the file.
    planned.push({ email, asked: limit ?? null, used, suggested, remark: remarks.join(', ') });
  }
  if (json) return output.json(planned);
  output.table(
    ['E-MAIL', 'ASKED', `USED IN ${DAYS} DAYS`, 'SUGGESTED', 'REMARK'],
    planned.map(({ email, asked, used, suggested, remark }) => [
      email,
      asked === null ? '-' : amountText(asked),
      amountText(used),
      suggested === null ? '-' : amountText(suggested),
      remark,
    ]),
    { right: new Set([1, 2, 3]) },
  );
  output.say('Standard credits. Suggested: a month at this pace plus 25 %.');
}

/** @throws UsageError with all faults of the file */
export async function readLimitFile(
  path: string,
  rules: LimitFileRules,
): Promise<readonly LimitRow[]> {
  const read = readLimitRows(await readLimitText(path), rules);
  if (read.ok) return read.rows;
  const lines = read.problems.map((problem) => displayLine(problem)).join('\n');
  throw new UsageError(`Cannot use "${path}", nothing was sent:\n${lines}`, {
    hint: 'Write a first line "email,limit", then one line per user: ann@example.com,2000000',
  });
}

/** The text of a UTF-8 file. @throws UsageError when it cannot be read or has another encoding */
export async function readLimitText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new UsageError(`Cannot read "${path}": ${whyUnreadable(cause)}`, { cause });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const options = { hint: 'Save it as "CSV UTF-8"', cause };
    throw new UsageError(`Cannot read "${path}": it is not UTF-8`, options);
  }
}

import type { Client } from '../../api/index.ts';
import { lastDays } from '../../api/index.ts';
import { amountText } from '../../reports/amounts.ts';
import { creditSeries } from '../../reports/series.ts';
import { suggestLimit } from '../../reports/suggest-limit.ts';
import type { CommandContext } from '../context.ts';
import { readLimitFile } from './limit-file.ts';

const DAYS = 28;

/** A row of the plan; credits are standard credits. */
interface PlannedLimit {
  readonly email: string;
  /** Null where the file has "null" or nothing. */
  readonly asked: number | null;
  readonly used: number;
  readonly suggested: number | null;
  readonly remark: string;
}

/** Shows a file of limits beside the directory and the use of the last four weeks; sends nothing. */
export async function planLimits(
  { output, json }: Pick<CommandContext, 'output' | 'json'>,
  api: Client,
  path: string,
): Promise<void> {
  const rows = await readLimitFile(path, { emptyLimit: 'accepted', null: 'accepted' });
  const { data } = await api.analytics.tokens(lastDays(DAYS, Date.now()), { stepBack: true });
  const { users } = creditSeries(data);
  const planned: PlannedLimit[] = [];
  for (const { email, limit } of rows) {
    const { used, limit: suggested } = suggestLimit(users.get(email.toLowerCase()));
    const isKnown = (await api.organization.directory.byEmail(email)) !== null;
    const isTight = typeof limit === 'number' && suggested !== null && limit < suggested;
    const remarks = [
      ...(isKnown ? [] : ['not in the directory']),
      ...(limit === undefined ? ['no limit in the file'] : []),
      ...(isTight ? ['below the suggestion'] : []),
    ];
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
  output.say(
    'Standard credits. A suggestion is a month at the pace of these days, and a quarter more.',
  );
}

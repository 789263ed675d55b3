import type { Audit, AuditProblem } from '../../core/audit.ts';
import { HookbellError } from '../../platform/errors.ts';
import { shortId } from '../short-id.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok, skipped } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const accountsGuide = {
  name: 'accounts',
  about: 'Whether every recent event has an outcome, or a time for its next step',
  troubles: {
    open: {
      state: 'problem',
      meaning: 'An event notified no one without a reason, or something due was missed',
      remedy: 'Run "hookbell explain {event}", then "hookbell restart"',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = accountsGuide;

const words: Readonly<Record<AuditProblem, string>> = {
  undecided: 'not sent, without a reason',
  'without payload': 'without a payload',
  late: 'due and missed',
  abandoned: 'never finished sending',
  unexplained: 'given up without a reason',
  unfinished: 'open past their time',
};

/** Checks that every accepted event has an outcome, or a time for its next step. */
export async function checkAccounts({ ask }: Pick<DoctorPorts, 'ask'>): Promise<Check> {
  let audit: Audit;
  try {
    audit = await ask('GET /v1/audit');
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    return skipped(name, error.message);
  }
  const { events, findings } = audit;
  const [first] = findings;
  if (first === undefined)
    return ok(name, `the last ${events} events have an outcome, or a time for one`);
  const summary = findings.map((one) => `${one.count} ${words[one.problem]}`).join('; ');
  const [eventId = 'last'] = first.eventIds;
  return found(name, troubles.open, summary, { event: shortId(eventId) });
}

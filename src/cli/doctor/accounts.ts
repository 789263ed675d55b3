import type { Audit, AuditProblem } from '../../core/audit.ts';
import { HookbellError } from '../../platform/errors.ts';
import { shortId } from '../short-id.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok, skipped } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const accountsGuide = {
  name: 'accounts',
  about: 'Whether every event of late has an end, or a time at which something comes of it',
  troubles: {
    open: {
      state: 'problem',
      meaning: 'An event was told to nobody without a reason, or something due was forgotten',
      remedy: 'Run "hookbell explain {event}", then "hookbell restart"',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = accountsGuide;

const words: Readonly<Record<AuditProblem, string>> = {
  undecided: 'told to nobody without a reason',
  'without payload': 'without a payload',
  late: 'due and forgotten',
  abandoned: 'never ended being sent',
  unexplained: 'given up without a reason',
  unfinished: 'open although their time is over',
};

/** Whether every event that was accepted has an end, or a time at which something comes of it. */
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
  if (first === undefined) return ok(name, `the last ${events} events have an end, or a time`);
  const summary = findings.map((one) => `${one.count} ${words[one.problem]}`).join('; ');
  const [eventId = 'last'] = first.eventIds;
  return found(name, troubles.open, summary, { event: shortId(eventId) });
}

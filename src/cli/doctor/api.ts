import type { ApiCheckView, ApiPartView } from '../../control/contract-views.ts';
import type { SelfCheckProblem } from '../../core/history.ts';
import { HookbellError } from '../../platform/errors.ts';
import { shortId } from '../short-id.ts';
import { type Check, defineGuide, type Guided, orTrouble } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const accountsGuide = defineGuide('accounts', {
  open: { state: 'problem', remedy: 'Run "hookbell explain {event}", then "hookbell restart"' },
});

const words: Readonly<Record<SelfCheckProblem, string>> = {
  undecided: 'not sent, without a reason',
  'without payload': 'without a payload',
  late: 'due and missed',
  abandoned: 'never finished sending',
  unexplained: 'given up without a reason',
  unfinished: 'open past their time',
};

/** Checks that every accepted event has an outcome, or a time for its next step. */
export async function checkAccounts({ ask }: DoctorPorts): Promise<Check> {
  const selfCheck = await orTrouble(ask('GET /v1/self-check'));
  if (selfCheck instanceof HookbellError) return accountsGuide.skipped(selfCheck.message);
  const { events, findings } = selfCheck;
  const [first] = findings;
  if (first === undefined)
    return accountsGuide.ok(`the last ${events} events have an outcome, or a time for one`);
  const summary = findings.map((one) => `${one.count} ${words[one.problem]}`).join('; ');
  const [eventId = 'last'] = first.eventIds;
  return accountsGuide.found('open', summary, { event: shortId(eventId) });
}

export const apiGuide = defineGuide('session look-up', {
  refused: { state: 'warning', remedy: 'Check "base_url" and "key" of "api" in the configuration' },
  unasked: { state: 'warning', remedy: null },
});

export const analyticsGuide = defineGuide('usage data', {
  refused: {
    state: 'warning',
    remedy: 'Set "api.key" to the key of a Manager or Owner, or remove "budget" and "digest"',
  },
});

export const reportsGuide = defineGuide('readiness reports', {
  refused: {
    state: 'warning',
    remedy:
      'Check "app_url" and, if reports are at another path, "readiness_path" of "api" in the configuration',
  },
});

/** A request of the daemon takes at most ten seconds. */
const PATIENCE_MS = 15_000;

/** Checks that the daemon gets what the configuration needs from the vendor's service. Notifications do not depend on it. */
export async function checkApi({ ask }: DoctorPorts): Promise<readonly Check[]> {
  const view = await orTrouble(ask('GET /v1/api', { timeoutMs: PATIENCE_MS }));
  if (view instanceof HookbellError) {
    return [apiGuide.found('unasked', view.message, {}, view.hint)];
  }
  const { analytics, readiness } = view;
  return [
    checkPart(apiGuide, view.state === 'off' ? null : view, String(view.reason)),
    checkPart(analyticsGuide, analytics, 'neither "budget" nor "digest" is configured'),
    checkPart(reportsGuide, readiness, 'no "app_url" with a key is configured'),
  ];
}

function checkPart(
  guide: Pick<Guided<'refused'>, 'ok' | 'found' | 'skipped'>,
  view: ApiPartView | Omit<ApiCheckView, 'analytics' | 'readiness'> | null,
  off: string,
): Check {
  if (view === null) return guide.skipped(`off: ${off}`);
  const { state, durationMs, reason } = view;
  const hint = 'hint' in view ? view.hint : null;
  if (state === 'ok') return guide.ok(`the service answered in ${durationMs} ms`);
  return guide.found('refused', `${reason} (after ${durationMs} ms)`, {}, hint);
}

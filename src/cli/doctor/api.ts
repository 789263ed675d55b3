import type { ApiCheckView, ApiPartView } from '../../control/contract-views.ts';
import type { SelfCheck, SelfCheckProblem } from '../../core/history.ts';
import { HookbellError } from '../../platform/errors.ts';
import { shortId } from '../short-id.ts';
import { type Check, type CheckGuide, found, ok, skipped } from './check.ts';
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

const words: Readonly<Record<SelfCheckProblem, string>> = {
  undecided: 'not sent, without a reason',
  'without payload': 'without a payload',
  late: 'due and missed',
  abandoned: 'never finished sending',
  unexplained: 'given up without a reason',
  unfinished: 'open past their time',
};

/** Checks that every accepted event has an outcome, or a time for its next step. */
export async function checkAccounts({ ask }: Pick<DoctorPorts, 'ask'>): Promise<Check> {
  let selfCheck: SelfCheck;
  try {
    selfCheck = await ask('GET /v1/self-check');
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    return skipped(accountsGuide.name, error.message);
  }
  const { events, findings } = selfCheck;
  const [first] = findings;
  if (first === undefined)
    return ok(accountsGuide.name, `the last ${events} events have an outcome, or a time for one`);
  const summary = findings.map((one) => `${one.count} ${words[one.problem]}`).join('; ');
  const [eventId = 'last'] = first.eventIds;
  return found(accountsGuide.name, accountsGuide.troubles.open, summary, {
    event: shortId(eventId),
  });
}

export const apiGuide = {
  name: 'session look-up',
  about:
    'Whether the daemon can look up session titles from the vendor\'s service. Skipped if "api" is not configured; notifications are sent without it too',
  troubles: {
    refused: {
      state: 'warning',
      meaning: 'The service cannot be reached, or rejects the key: titles and credits are missing',
      remedy: 'Check "base_url" and "key" of "api" in the configuration',
    },
    unasked: { state: 'warning', meaning: 'The daemon did not answer in time', remedy: null },
  },
} as const satisfies CheckGuide;

export const analyticsGuide = {
  name: 'usage data',
  about:
    'Whether the daemon gets the usage data for "budget" and "digest": it requests one day. Skipped if neither is configured',
  troubles: {
    refused: {
      state: 'warning',
      meaning:
        'The service cannot be reached, or the key may not read usage: the key of a member may look up sessions, but not read usage. No budget alert and no digest is sent',
      remedy: 'Set "api.key" to the key of a Manager or Owner, or remove "budget" and "digest"',
    },
  },
} as const satisfies CheckGuide;

export const reportsGuide = {
  name: 'readiness reports',
  about:
    'Whether "app_url" serves the readiness reports: it requests one. Skipped without "app_url" or a key. A key that may not read them is a warning only with "watch: readiness"',
  troubles: {
    refused: {
      state: 'warning',
      meaning: '"app_url" does not serve readiness reports, or the key may not read them',
      remedy:
        'Check "app_url" and, if reports are at another path, "readiness_path" of "api" in the configuration',
    },
  },
} as const satisfies CheckGuide;

/** A request of the daemon takes at most ten seconds. */
const PATIENCE_MS = 15_000;

/** Checks that the daemon gets what the configuration needs from the vendor's service. Notifications do not depend on it. */
export async function checkApi({ ask }: Pick<DoctorPorts, 'ask'>): Promise<readonly Check[]> {
  let view: ApiCheckView;
  try {
    view = await ask('GET /v1/api', { timeoutMs: PATIENCE_MS });
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    const { name, troubles } = apiGuide;
    return [{ ...found(name, troubles.unasked, error.message), hint: error.hint }];
  }
  const { analytics, readiness } = view;
  return [
    checkLookUp(view),
    checkPart(analyticsGuide, analytics, 'neither "budget" nor "digest" is configured'),
    checkPart(reportsGuide, readiness, 'no "app_url" with a key is configured'),
  ];
}

function checkLookUp({ state, durationMs, reason }: ApiCheckView): Check {
  const { name, troubles } = apiGuide;
  if (state === 'ok') return ok(name, `the service answered in ${durationMs} ms`);
  if (state === 'off') return skipped(name, `off: ${reason}`);
  return found(name, troubles.refused, `${reason} (after ${durationMs} ms)`);
}

function checkPart(
  { name, troubles }: typeof analyticsGuide | typeof reportsGuide,
  view: ApiPartView | null,
  off: string,
): Check {
  if (view === null) return skipped(name, `off: ${off}`);
  const { state, durationMs, reason, hint } = view;
  if (state === 'ok') return ok(name, `the service answered in ${durationMs} ms`);
  const check = found(name, troubles.refused, `${reason} (after ${durationMs} ms)`);
  return hint === null ? check : { ...check, hint };
}

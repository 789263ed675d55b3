import type { ApiCheckView, ApiPartView } from '../../control/contract-views.ts';
import { HookbellError } from '../../platform/errors.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok, skipped } from './check.ts';
import type { DoctorPorts } from './ports.ts';

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

/** The names of the checks that `checkApi` makes. */
export const apiChecks: readonly string[] = [apiGuide.name, analyticsGuide.name, reportsGuide.name];

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

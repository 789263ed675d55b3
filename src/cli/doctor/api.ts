import type { ApiCheckView, ApiPartView } from '../../control/contract-views.ts';
import { HookbellError } from '../../platform/errors.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok, skipped } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const apiGuide = {
  name: 'session look-up',
  about:
    'Whether the daemon can ask the vendor\'s service for the title of a session. It is skipped where "api" is not configured; notifications go out without it too',
  troubles: {
    refused: {
      state: 'warning',
      meaning:
        'The service cannot be reached, or does not take the key: titles and credits are missing',
      remedy: 'Check "api" in the configuration: base_url, and the key where it is kept',
    },
    unasked: { state: 'warning', meaning: 'The daemon did not answer in time', remedy: null },
  },
} as const satisfies CheckGuide;

export const analyticsGuide = {
  name: 'usage data',
  about:
    'Whether the daemon gets the usage data that "budget" and "digest" are made of: one day is asked for. It is skipped where neither is configured',
  troubles: {
    refused: {
      state: 'warning',
      meaning:
        'The service cannot be reached, or the key is not allowed to see usage: a key of a member is not, although sessions can be looked up with it. No budget rings, and no digest is sent',
      remedy:
        'Keep the key of a Manager or Owner where "api.key" says, or remove "budget" and "digest"',
    },
  },
} as const satisfies CheckGuide;

export const reportsGuide = {
  name: 'readiness reports',
  about:
    'Whether "app_url" leads to the readiness reports: one is asked for. It is skipped where there is no "app_url" or no key. A key that may not see them is trouble only with "watch: readiness"',
  troubles: {
    refused: {
      state: 'warning',
      meaning: 'Nothing of the kind answers at "app_url", or the key is not allowed to see them',
      remedy:
        'Check "app_url" and, where reports lie at another path, "readiness_path" of "api" in the configuration',
    },
  },
} as const satisfies CheckGuide;

/** The names of the checks that `checkApi` makes. */
export const apiChecks: readonly string[] = [apiGuide.name, analyticsGuide.name, reportsGuide.name];

/** A request of the daemon takes ten seconds at most. */
const PATIENCE_MS = 15_000;

/** Whether the daemon gets from the vendor's service what the configuration needs. Notifications go out without it too. */
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

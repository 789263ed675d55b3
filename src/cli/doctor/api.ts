import { HookbellError } from '../../core/errors.ts';
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
const { name, troubles } = apiGuide;
/** The request of the daemon takes ten seconds at most. */
const PATIENCE_MS = 15_000;

/** Whether the daemon can ask the vendor's service for titles. Notifications go out without them too. */
export async function checkApi({ ask }: Pick<DoctorPorts, 'ask'>): Promise<Check> {
  try {
    const { state, durationMs, reason } = await ask('GET /v1/api', { timeoutMs: PATIENCE_MS });
    if (state === 'ok') return ok(name, `the service answered in ${durationMs} ms`);
    if (state === 'off') return skipped(name, `off: ${reason}`);
    return found(name, troubles.refused, `${reason} (after ${durationMs} ms)`);
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    return { ...found(name, troubles.unasked, error.message), hint: error.hint };
  }
}

import { HookbellError } from '../../core/errors.ts';
import type { Check } from './check.ts';
import { ok, skipped, warning } from './check.ts';
import type { DoctorPorts } from './ports.ts';

const name = 'session look-up';
/** The request of the daemon takes ten seconds at most. */
const PATIENCE_MS = 15_000;

/** Whether the daemon can ask the vendor's service for titles. Notifications go out without them too. */
export async function checkApi({ ask }: Pick<DoctorPorts, 'ask'>): Promise<Check> {
  try {
    const { state, durationMs, reason } = await ask('GET /v1/api', { timeoutMs: PATIENCE_MS });
    if (state === 'ok') return ok(name, `the service answered in ${durationMs} ms`);
    if (state === 'off') return skipped(name, `off: ${reason}`);
    return warning(
      name,
      `${reason} (after ${durationMs} ms)`,
      'Check "api" in the configuration: base_url, and the key where it is kept',
    );
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    return warning(name, error.message, error.hint);
  }
}

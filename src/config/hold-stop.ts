import type { HoldStopPolicy } from '../core/policy.ts';
import type { ApiOptions } from './api-schema.ts';

const DEFAULT_HOLD_MS = 20_000;

/** How long the end of a turn waits for a session that still runs; null where it does not, or where nobody can be asked. */
export function holdStopOf(api: ApiOptions | undefined): HoldStopPolicy | null {
  const hold = api?.hold_stop_while_running ?? false;
  if (api === undefined || hold === false || !canAsk(api)) return null;
  return { forMs: hold === true ? DEFAULT_HOLD_MS : hold, afterwards: api.hold_stop_then };
}

function canAsk({ base_url, key, jwt }: ApiOptions): boolean {
  return base_url !== undefined && (key !== undefined || jwt !== undefined);
}

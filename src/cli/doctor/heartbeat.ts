import type { StatusView } from '../../core/control.ts';
import { durationText } from '../../core/duration-text.ts';
import type { Check } from './check.ts';
import { ok, warning } from './check.ts';

const name = 'heartbeat';

/** Whether somebody outside would notice that the daemon has fallen silent. */
export function checkHeartbeat({ heartbeat }: StatusView): Check {
  if (heartbeat === null) {
    return ok(
      name,
      'none configured',
      'Set "heartbeat.url" to an address whose owner tells you when the daemon falls silent',
    );
  }
  const { everyMs, reason, lastAt } = heartbeat;
  const every = `every ${durationText(everyMs)}`;
  if (reason !== null) {
    return warning(
      name,
      `${every}, but it fails: ${reason}`,
      'Look at "heartbeat" in the configuration',
    );
  }
  return ok(name, lastAt === null ? `${every}, not heard yet` : every);
}

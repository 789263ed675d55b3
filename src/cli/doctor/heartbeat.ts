import type { StatusView } from '../../control/contract.ts';
import { durationText } from '../../text/duration.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';

export const heartbeatGuide = {
  name: 'heartbeat',
  about: 'Whether somebody outside would notice that the daemon has fallen silent',
  troubles: {
    failing: {
      state: 'warning',
      meaning: 'The address that is to hear from the daemon cannot be reached, or refuses',
      remedy: 'Look at "heartbeat" in the configuration',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = heartbeatGuide;

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
    return found(name, troubles.failing, `${every}, but it fails: ${reason}`);
  }
  return ok(name, lastAt === null ? `${every}, not heard yet` : every);
}

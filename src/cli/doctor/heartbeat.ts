import type { StatusView } from '../../control/contract.ts';
import { durationText } from '../../text/duration.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';

export const heartbeatGuide = {
  name: 'heartbeat',
  about: 'Whether an external monitor would notice that the daemon has stopped',
  troubles: {
    failing: {
      state: 'warning',
      meaning: 'The heartbeat address cannot be reached, or refuses the request',
      remedy: 'Check "heartbeat" in the configuration',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = heartbeatGuide;

/** Checks whether an external monitor would notice that the daemon has stopped. */
export function checkHeartbeat({ heartbeat }: StatusView): Check {
  if (heartbeat === null) {
    return ok(
      name,
      'none configured',
      'Set "heartbeat.url" to a monitor that alerts you when the heartbeats stop',
    );
  }
  const { everyMs, reason, lastAt } = heartbeat;
  const every = `every ${durationText(everyMs)}`;
  if (reason !== null) {
    return found(name, troubles.failing, `${every}, but it fails: ${reason}`);
  }
  return ok(name, lastAt === null ? `${every}, none sent yet` : every);
}

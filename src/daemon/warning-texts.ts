import type { IntakeOptions } from '../intake/intake.ts';
import { basename } from 'node:path';

import { channelWarning } from '../control/contract-views.ts';
import { durationText } from '../text/duration.ts';
import type { OnCircuitChange } from '../delivery/channel-health.ts';
import { MISSING_GRACE_MS } from '../delivery/giving-up.ts';
import type { Recovered } from '../store/open-store.ts';
import type { Warnings } from '../delivery/warnings.ts';

export function databaseWarning({ aside, reason }: Recovered): string {
  return `The database was damaged (${reason}) and was moved to "${basename(aside)}"; hookbell started a new one: earlier history is not shown, and unsent messages may be missing`;
}

export function repairWarning(names: readonly string[]): string {
  return `The database was changed by another program: ${names.length} of its indexes and triggers (${names.slice(0, 3).join(', ')}) were repaired, and its counters were recalculated; messages from that time may be late`;
}

export function restartWarning(reason: string): string {
  return `The daemon had to restart: ${reason}; if its database was lost as well, earlier history is not shown, and unsent messages are missing`;
}

export function configWarning(path: string, problems: readonly string[]): string {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `Cannot use the configuration "${path}": ${problems[0] ?? 'unknown problem'}${more}`;
}

/** Warns through the other channels when a channel is out of order, and clears the warning when it works again. */
export function circuitWarnings(warnings: Warnings): OnCircuitChange {
  return ({ channel, circuit, openUntil, lastReason }) => {
    const key = `channel ${channel}`;
    if (circuit === 'closed') warnings.clear(key);
    if (circuit !== 'open') return;
    const until =
      openUntil === null ? 'until its configuration is corrected' : 'and will be tried again later';
    warnings.raise(key, `${channelWarning(channel)} ${until}: ${lastReason ?? 'unknown'}`);
  };
}

/** Warns while deliveries wait for a channel missing from the configuration. */
export function missingWarnings(
  warnings: Warnings,
): (channel: string, isWaitedFor: boolean) => void {
  const grace = durationText(MISSING_GRACE_MS);
  return (channel, isWaitedFor) => {
    const key = `missing ${channel}`;
    if (!isWaitedFor) return warnings.clear(key);
    warnings.raise(
      key,
      `Channel "${channel}" is missing from the configuration: its pending messages become undeliverable after ${grace}; see "hookbell queue"`,
    );
  };
}

/** Warns while events wait in the spool, and calls `onFullDisk` whenever a full disk is the cause. */
export function intakeWarnings(
  warnings: Pick<Warnings, 'raise' | 'clear'>,
  onFullDisk: () => void,
): IntakeOptions['onTrouble'] {
  return (trouble) => {
    if (trouble === null) return warnings.clear('intake');
    warnings.raise('intake', `Events wait in the spool: ${trouble.message}`);
    if (trouble.code === 'full') onFullDisk();
  };
}

import type { StatusView } from '../../control/contract.ts';
import { channelWarning } from '../../control/contract.ts';
import { HookbellError } from '../../platform/errors.ts';
import { ageSince } from '../time-text.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

/** The daemon's answer, or why it did not answer. */
export type DaemonSight =
  | { readonly status: StatusView }
  | { readonly status: null; readonly reason: string };

const PATIENCE_MS = 3_000;

export async function lookAtDaemon({ ask }: Pick<DoctorPorts, 'ask'>): Promise<DaemonSight> {
  try {
    return { status: await ask('GET /v1/status', { timeoutMs: PATIENCE_MS }) };
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    return { status: null, reason: error.message };
  }
}

export const daemonGuide = {
  name: 'daemon',
  about: 'Whether the daemon answers and has the version of this command',
  troubles: {
    silent: {
      state: 'problem',
      meaning:
        'No notifications are sent while it is not running. Events wait in the spool, and the next hook starts it',
      remedy: 'Run "hookbell start"',
    },
    older: {
      state: 'warning',
      meaning: 'hookbell was updated while the daemon was running',
      remedy: 'Run "hookbell restart"',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = daemonGuide;

export const warningsGuide = {
  name: 'warnings',
  about: 'A warning from the daemon, such as a nearly full disk',
  troubles: {
    some: {
      state: 'warning',
      meaning: 'Follow the text of the warning; "hookbell status" also shows it',
      remedy: null,
    },
  },
} as const satisfies CheckGuide;

export function checkDaemon(
  sight: DaemonSight,
  { version, now }: Pick<DoctorPorts, 'version' | 'now'>,
): Check {
  if (sight.status === null) return found(name, troubles.silent, sight.reason);
  const { pid, startedAt, version: running } = sight.status;
  const summary = `version ${running}, pid ${pid}, for ${ageSince(startedAt, now())}`;
  if (running === version) return ok(name, summary);
  return found(name, troubles.older, `${summary}; this command is version ${version}`);
}

/** Warnings of the daemon, except those about broken channels: each channel has a check that reports why. */
export function checkDaemonWarnings({ warnings, channels }: StatusView): Check {
  const others = warnings.filter(
    (text) => !channels.some(({ name: channel }) => text.startsWith(channelWarning(channel))),
  );
  if (others.length === 0) return ok(warningsGuide.name, 'none');
  return found(warningsGuide.name, warningsGuide.troubles.some, others.join('; '));
}

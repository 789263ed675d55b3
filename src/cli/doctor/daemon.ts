import type { StatusView } from '../../control/contract.ts';
import { channelWarning } from '../../control/contract-views.ts';
import { HookbellError } from '../../platform/errors.ts';
import { durationText } from '../../text/duration.ts';
import { muteNotice } from '../short-id.ts';
import { ageSince } from '../time-text.ts';
import { type Check, type CheckGuide, found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const mutesGuide = {
  name: 'mutes',
  about: 'Whether something is muted now',
  troubles: {
    muted: {
      state: 'warning',
      meaning:
        'Muted notifications are held until the mute ends; those still unanswered are sent then',
      remedy: 'Run "hookbell mute off"',
    },
  },
} as const satisfies CheckGuide;

/** A forgotten mute looks like a broken channel. */
export function checkMutes({ mutes }: Pick<StatusView, 'mutes'>, now: number): Check {
  const notice = muteNotice(mutes, now);
  return notice === null
    ? ok(mutesGuide.name, 'nothing is muted')
    : found(mutesGuide.name, mutesGuide.troubles.muted, notice);
}

export const deliveriesGuide = {
  name: 'deliveries',
  about: 'Whether messages were given up',
  troubles: {
    dead: {
      state: 'warning',
      meaning: 'They reached the retry limit of the channel, or can never be delivered',
      remedy:
        'Run "hookbell queue --state dead" to see why, then "hookbell queue retry --all" or "drop"',
    },
  },
} as const satisfies CheckGuide;

/** Messages that were given up. */
export function checkDeliveries({ deliveries }: StatusView): Check {
  const { dead, pending, sent } = deliveries;
  if (dead === 0)
    return ok(deliveriesGuide.name, `${sent} sent, ${pending} pending, none given up`);
  return found(deliveriesGuide.name, deliveriesGuide.troubles.dead, `${dead} given up`);
}

export const spoolGuide = {
  name: 'spool',
  about: 'Whether events from hooks reach the daemon',
  troubles: {
    waiting: {
      state: 'warning',
      meaning: 'Events arrived while no daemon was running; it reads them when it starts',
      remedy: 'Run "hookbell start"',
    },
    stuck: {
      state: 'problem',
      meaning:
        'The daemon is running but does not read the spool, for example because the disk is full',
      remedy: 'See the log: {log}',
    },
  },
} as const satisfies CheckGuide;

export const quarantineGuide = {
  name: 'quarantine',
  about: 'Whether something arrived that is not an event',
  troubles: {
    some: {
      state: 'warning',
      meaning:
        'A hook received something that is empty, unreadable or does not name its event; it did not notify you',
      remedy:
        'Inspect them in {directory}, then remove them. "hookbell hook --explain" says what a payload lacks',
    },
  },
} as const satisfies CheckGuide;
const LOOKS = 4;
const BETWEEN_MS = 500;

/** Checks that events reach the daemon from the spool. New ones may take a moment. */
export async function checkSpool(
  { status }: DaemonSight,
  { ask, wait, namesIn, paths }: Pick<DoctorPorts, 'ask' | 'wait' | 'namesIn' | 'paths'>,
): Promise<Check> {
  if (status === null) {
    const waiting = (await namesIn(paths.spool)).length;
    if (waiting === 0) return ok(spoolGuide.name, 'empty');
    return found(spoolGuide.name, spoolGuide.troubles.waiting, `${events(waiting)} for the daemon`);
  }
  let { pending } = status.spool;
  for (let look = 1; look < LOOKS && pending > 0; look += 1) {
    await wait(BETWEEN_MS);
    pending = (await ask('GET /v1/status')).spool.pending;
  }
  if (pending === 0) return ok(spoolGuide.name, 'drained');
  const summary = `${events(pending)} and the daemon does not read them`;
  return found(spoolGuide.name, spoolGuide.troubles.stuck, summary, { log: paths.log });
}

function events(count: number): string {
  return count === 1 ? '1 event waits' : `${count} events wait`;
}

/** Envelopes that could not become events. */
export async function checkQuarantine(
  { spool }: StatusView,
  { ask, paths }: Pick<DoctorPorts, 'ask' | 'paths'>,
): Promise<Check> {
  const { quarantined } = spool;
  if (quarantined === 0) return ok(quarantineGuide.name, 'empty');
  const [latest] = await ask('GET /v1/quarantine', { query: { limit: '1' } });
  const why = latest === undefined ? '' : `, the last one as "${latest.reason}": ${latest.detail}`;
  const { name: quarantine, troubles: unreadable } = quarantineGuide;
  const summary = `${quarantined} unreadable${why}`;
  return found(quarantine, unreadable.some, summary, { directory: paths.quarantine });
}

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

/** Checks whether an external monitor would notice that the daemon has stopped. */
export function checkHeartbeat({ heartbeat }: StatusView): Check {
  if (heartbeat === null) {
    return ok(
      heartbeatGuide.name,
      'none configured',
      'Set "heartbeat.url" to a monitor that alerts you when the heartbeats stop',
    );
  }
  const { everyMs, reason, lastAt } = heartbeat;
  const every = `every ${durationText(everyMs)}`;
  if (reason !== null) {
    return found(
      heartbeatGuide.name,
      heartbeatGuide.troubles.failing,
      `${every}, but it fails: ${reason}`,
    );
  }
  return ok(heartbeatGuide.name, lastAt === null ? `${every}, none sent yet` : every);
}

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
        'No notifications are sent while it is not running. Events wait in the spool; the next hook starts it unless it was stopped by "hookbell stop"',
      remedy: 'Run "hookbell start"',
    },
    older: {
      state: 'warning',
      meaning: 'hookbell was updated while the daemon was running',
      remedy: 'Run "hookbell restart"',
    },
  },
} as const satisfies CheckGuide;

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
  if (sight.status === null)
    return found(daemonGuide.name, daemonGuide.troubles.silent, sight.reason);
  const { pid, startedAt, version: running } = sight.status;
  const summary = `version ${running}, pid ${pid}, for ${ageSince(startedAt, now())}`;
  if (running === version) return ok(daemonGuide.name, summary);
  return found(
    daemonGuide.name,
    daemonGuide.troubles.older,
    `${summary}; this command is version ${version}`,
  );
}

/** Warnings of the daemon, except those about broken channels: each channel has a check that reports why. */
export function checkDaemonWarnings({ warnings, channels }: StatusView): Check {
  const others = warnings.filter(
    (text) => !channels.some(({ name }) => text.startsWith(channelWarning(name))),
  );
  if (others.length === 0) return ok(warningsGuide.name, 'none');
  return found(warningsGuide.name, warningsGuide.troubles.some, others.join('; '));
}

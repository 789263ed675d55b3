import type { StatusView } from '../../control/contract.ts';
import { channelWarning } from '../../control/contract-views.ts';
import { HookbellError } from '../../platform/errors.ts';
import { durationText } from '../../text/duration.ts';
import { muteNotice } from '../short-id.ts';
import { ageSince } from '../time-text.ts';
import { type Check, defineGuide, orTrouble } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const mutesGuide = defineGuide('mutes', {
  muted: { state: 'warning', remedy: 'Run "hookbell mute off"' },
});

/** A forgotten mute looks like a broken channel. */
export function checkMutes({ mutes }: Pick<StatusView, 'mutes'>, now: number): Check {
  const notice = muteNotice(mutes, now);
  return notice === null ? mutesGuide.ok('nothing is muted') : mutesGuide.found('muted', notice);
}

export const deliveriesGuide = defineGuide('deliveries', {
  dead: {
    state: 'warning',
    remedy:
      'Run "hookbell queue --state dead" to see why, then "hookbell queue retry --all" or "drop"',
  },
});

/** Messages that were given up. */
export function checkDeliveries({ deliveries }: StatusView): Check {
  const { dead, pending, sent } = deliveries;
  if (dead === 0) return deliveriesGuide.ok(`${sent} sent, ${pending} pending, none given up`);
  return deliveriesGuide.found('dead', `${dead} given up`);
}

export const spoolGuide = defineGuide('spool', {
  waiting: { state: 'warning', remedy: 'Run "hookbell start"' },
  stuck: { state: 'problem', remedy: 'See the log: {log}' },
});

export const quarantineGuide = defineGuide('quarantine', {
  some: {
    state: 'warning',
    remedy:
      'Inspect them in {directory}, then remove them. "hookbell hook --explain" says what a payload lacks',
  },
});
const LOOKS = 4;
const BETWEEN_MS = 500;

/** Checks that events reach the daemon from the spool. New ones may take a moment. */
export async function checkSpool(
  { status }: DaemonSight,
  { ask, wait, namesIn, paths }: DoctorPorts,
): Promise<Check> {
  if (status === null) {
    const waiting = (await namesIn(paths.spool)).length;
    if (waiting === 0) return spoolGuide.ok('empty');
    return spoolGuide.found('waiting', `${events(waiting)} for the daemon`);
  }
  let { pending } = status.spool;
  for (let look = 1; look < LOOKS && pending > 0; look += 1) {
    await wait(BETWEEN_MS);
    pending = (await ask('GET /v1/status')).spool.pending;
  }
  if (pending === 0) return spoolGuide.ok('drained');
  const summary = `${events(pending)} and the daemon does not read them`;
  return spoolGuide.found('stuck', summary, { log: paths.log });
}

function events(count: number): string {
  return count === 1 ? '1 event waits' : `${count} events wait`;
}

/** Envelopes that could not become events. */
export async function checkQuarantine(
  { spool }: StatusView,
  { ask, paths }: DoctorPorts,
): Promise<Check> {
  const { quarantined } = spool;
  if (quarantined === 0) return quarantineGuide.ok('empty');
  const [latest] = await ask('GET /v1/quarantine', { query: { limit: '1' } });
  const why = latest === undefined ? '' : `, the last one as "${latest.reason}": ${latest.detail}`;
  const summary = `${quarantined} unreadable${why}`;
  return quarantineGuide.found('some', summary, { directory: paths.quarantine });
}

export const heartbeatGuide = defineGuide('heartbeat', {
  failing: { state: 'warning', remedy: 'Check "heartbeat" in the configuration' },
});

/** Checks whether an external monitor would notice that the daemon has stopped. */
export function checkHeartbeat({ heartbeat }: StatusView): Check {
  if (heartbeat === null) {
    return heartbeatGuide.ok(
      'none configured',
      'Set "heartbeat.url" to a monitor that alerts you when the heartbeats stop',
    );
  }
  const { everyMs, reason, lastAt } = heartbeat;
  const every = `every ${durationText(everyMs)}`;
  if (reason !== null) return heartbeatGuide.found('failing', `${every}, but it fails: ${reason}`);
  return heartbeatGuide.ok(lastAt === null ? `${every}, none sent yet` : every);
}

/** The daemon's answer, or why it did not answer. */
export type DaemonSight =
  | { readonly status: StatusView }
  | { readonly status: null; readonly reason: string };

const PATIENCE_MS = 3_000;

export async function lookAtDaemon({ ask }: DoctorPorts): Promise<DaemonSight> {
  const status = await orTrouble(ask('GET /v1/status', { timeoutMs: PATIENCE_MS }));
  return status instanceof HookbellError ? { status: null, reason: status.message } : { status };
}

export const daemonGuide = defineGuide('daemon', {
  silent: { state: 'problem', remedy: 'Run "hookbell start"' },
  older: { state: 'warning', remedy: 'Run "hookbell restart"' },
});

export const warningsGuide = defineGuide('warnings', { some: { state: 'warning', remedy: null } });

export function checkDaemon(sight: DaemonSight, { version, now }: DoctorPorts): Check {
  if (sight.status === null) return daemonGuide.found('silent', sight.reason);
  const { pid, startedAt, version: running } = sight.status;
  const summary = `version ${running}, pid ${pid}, for ${ageSince(startedAt, now())}`;
  if (running === version) return daemonGuide.ok(summary);
  return daemonGuide.found('older', `${summary}; this command is version ${version}`);
}

/** Warnings of the daemon, except those about broken channels: each channel has a check that reports why. */
export function checkDaemonWarnings({ warnings, channels }: StatusView): Check {
  const others = warnings.filter(
    (text) => !channels.some(({ name }) => text.startsWith(channelWarning(name))),
  );
  if (others.length === 0) return warningsGuide.ok('none');
  return warningsGuide.found('some', others.join('; '));
}

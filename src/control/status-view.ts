import { quietAt } from '../alerts/quiet.ts';
import { StoreError } from '../core/store-aging.ts';
import type {
  ApiStateView,
  DaemonStarter,
  HeartbeatView,
  ListenView,
  RelayView,
} from './contract-views.ts';
import type { ChannelStateView, StatusView } from './contract.ts';
import type { ChannelState } from '../core/delivery.ts';
import type { Store } from '../core/store.ts';
import type { RunningChannel, RunningChannels } from '../delivery/running-channel.ts';
import { isoOrNull, isoTime } from '../platform/time.ts';
import type { ConfigHolder } from '../config/config-holder.ts';
import { muteView } from './views.ts';

export interface StatusSources {
  readonly version: string;
  readonly startedAt: number;
  readonly startedBy: DaemonStarter;
  readonly now: () => number;
  readonly store: Pick<Store, 'upkeep' | 'outbox' | 'mutes'>;
  readonly config: ConfigHolder;
  readonly channels: () => RunningChannels;
  readonly spool: () => Promise<{ readonly pending: number; readonly quarantined: number }>;
  readonly api: () => ApiStateView;
  readonly heartbeat: () => HeartbeatView | null;
  readonly remote: {
    relay(): Promise<RelayView | null>;
    listen(): Promise<ListenView | null>;
  };
  readonly warnings: () => readonly string[];
}

/** The daemon's current status, without the endpoints, which report it themselves. */
export async function readStatus(sources: StatusSources): Promise<Omit<StatusView, 'endpoints'>> {
  const { store, now } = sources;
  const [{ counts, states, mutes, trouble }, spool, relay, listen] = await Promise.all([
    readFigures(store, now()),
    sources.spool(),
    sources.remote.relay(),
    sources.remote.listen(),
  ]);
  const quiet = quietAt(sources.config.current().policy.quietHours, now());
  const byName = new Map(states.map((state) => [state.channel, state]));
  return {
    version: sources.version,
    pid: process.pid,
    startedAt: isoTime(sources.startedAt),
    startedBy: sources.startedBy,
    config: sources.config.view(),
    spool,
    deliveries: {
      pending: counts.deliveries.pending + counts.deliveries.retrying,
      sent: counts.deliveries.sent,
      dead: counts.deliveries.dead,
    },
    sessions: { waiting: counts.sessions.waiting, working: counts.sessions.working },
    channels: [...sources.channels().values()].map((channel) =>
      channelStateView(channel, byName.get(channel.name) ?? null, now()),
    ),
    api: sources.api(),
    events: counts.events,
    mutes: mutes.map(muteView),
    quietUntil: isoOrNull(quiet?.until ?? null),
    heartbeat: sources.heartbeat(),
    relay,
    listen,
    warnings: [...(trouble === null ? [] : [trouble]), ...sources.warnings()],
  };
}

/** The status must also work when the disk fails, with the warnings about it. */
async function readFigures(store: StatusSources['store'], now: number) {
  try {
    const [counts, states, mutes] = await Promise.all([
      store.upkeep.counts(),
      store.outbox.channelStates(),
      store.mutes.active(now),
    ]);
    return { counts, states, mutes, trouble: null };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return {
      counts: {
        events: 0,
        deliveries: { pending: 0, retrying: 0, sent: 0, dead: 0 },
        sessions: { waiting: 0, working: 0 },
      },
      states: [],
      mutes: [],
      trouble: `${error.message}; the numbers of events, deliveries and sessions are unknown`,
    };
  }
}

/** The state of a channel, from its setup and the outcomes of its deliveries. */
export function channelStateView(
  { name, type, problem, channel }: Pick<RunningChannel, 'name' | 'type' | 'problem' | 'channel'>,
  state: ChannelState | null,
  now: number,
): ChannelStateView {
  const resumesAt = Math.max(state?.notBefore ?? 0, openUntil(state) ?? 0);
  const waitsUntil = resumesAt <= now ? null : isoTime(resumesAt);
  return {
    name,
    type,
    state: stateWord(problem, state, waitsUntil),
    lastOutcome: state?.lastOutcome ?? null,
    lastReason: problem ?? state?.lastReason ?? null,
    notBefore: waitsUntil,
    paused: (channel.paused?.() ?? []).map(({ what, until }) => ({ what, until: isoTime(until) })),
  };
}

/** When an open circuit tries the channel again; null if it is closed, or open until the configuration changes. */
function openUntil(state: ChannelState | null): number | null {
  return state?.circuit === 'open' ? state.openUntil : null;
}

function stateWord(
  problem: string | null,
  state: ChannelState | null,
  waitsUntil: string | null,
): ChannelStateView['state'] {
  if (problem !== null) return 'broken';
  if (state?.circuit === 'open') return 'open';
  return waitsUntil === null ? 'ok' : 'limited';
}

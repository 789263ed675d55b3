import type { ConfigView } from '../config/config-view.ts';
import type { PresenceSourceView } from '../attention/presence.ts';
import type { AlertState } from '../core/alert.ts';
import type {
  ApiCheckView,
  ApiStateView,
  DigestSentView,
  ListenView,
  OpenView,
  QuarantineView,
  RelayCheckView,
  RelayView,
  SnoozeView,
} from './contract-views.ts';
import type { Audit } from '../core/audit.ts';
import type { Decision } from '../core/decision.ts';
import type { DeliveryState, HoldReason } from '../core/delivery.ts';
import type { HookFacts } from '../core/facts.ts';
import type { AgentName, Kind } from '../core/hook-event.ts';
import type { MetricFamily, UsageCounters } from '../core/metrics.ts';
import type { Severity } from '../core/notification.ts';
import type { SessionState } from '../core/session.ts';

/**
 * What the daemon answers on its control socket, and what the reading commands print with `--json`: camelCase, times
 * as ISO 8601 in UTC, durations in ms. Keys are "METHOD /v1/name".
 */
export interface ControlAnswers {
  'GET /v1/status': StatusView;
  'GET /v1/metrics': readonly MetricFamily[];
  /** Query: limit, state (comma list). Oldest waiting first. */
  'GET /v1/sessions': readonly SessionView[];
  /**
   * Query: limit, before (event id), session (key, id or the beginning of an id), agent, project, kind, since (Unix ms),
   * suppressed=1, rang=1. Newest first.
   */
  'GET /v1/history': readonly HistoryView[];
  /**
   * Query: after (an event id) or cursor (of the answer before), limit, waitMs, and what GET /v1/history filters by; rang=1: a
   * message was sent or waits to be. The events that arrived after that,
   * oldest first; where there are none yet, waits for some. Without `after`: the newest.
   */
  'GET /v1/follow': FollowView;
  /** Path: event id, an unambiguous beginning of one, or "last". */
  'GET /v1/events': EventView;
  /** Query: limit, state (comma list). */
  'GET /v1/queue': readonly DeliveryView[];
  /** Body: { ids: whole, or unambiguous beginnings } or { all: true }. */
  'POST /v1/queue-retry': CountView;
  'POST /v1/queue-drop': CountView;
  /** Live alerts, oldest first. */
  'GET /v1/alerts': readonly AlertView[];
  /** Body: { session: key, id or the beginning of an id } or { all: true }. Later steps fall silent. */
  'POST /v1/ack': CountView;
  /** Body: { session: key, id or the beginning of an id, forMs }. Its alert notifies again then, if it is still open. */
  'POST /v1/snooze': SnoozeView;
  /** Body: { session: key, id or the beginning of an id }. Brings its terminal or editor forward. */
  'POST /v1/open': OpenView;
  'GET /v1/mutes': readonly MuteView[];
  /** Body: { forMs (null: until it is taken back), session?, project?, agent?, channel?, kind? }. */
  'POST /v1/mutes': MuteView;
  /** Body: { ids } or { all: true }. What was held because of them is decided upon again. */
  'POST /v1/unmute': CountView;
  /** Body: { channels?: names, or all?: true, facts?: the surroundings of the caller }. Sends a test through each. */
  'POST /v1/test': readonly ChannelTestView[];
  /** Looks whether each channel would work, without sending. */
  'GET /v1/channels': readonly ChannelCheckView[];
  'GET /v1/quarantine': readonly QuarantineView[];
  'GET /v1/agents': readonly AgentView[];
  /** Whether every accepted event has an end, or a time at which something comes of it. */
  'GET /v1/audit': Audit;
  /** By what the daemon sees whether the person is here. */
  'GET /v1/presence': readonly PresenceSourceView[];
  /** Asks each part of the vendor's service that the configuration needs, to see whether it answers. */
  'GET /v1/api': ApiCheckView;
  /** Asks the machine this one relays to whether it is there; null: nothing is relayed. */
  'GET /v1/relay': RelayCheckView | null;
  /** Query: from (inclusive), to (exclusive), Unix ms. */
  'GET /v1/tally': UsageCounters;
  /** Sends the digest of the configuration now. */
  'POST /v1/digest': DigestSentView;
  'POST /v1/reload': ConfigView;
  'POST /v1/stop': { readonly pid: number };
}

export interface StatusView {
  readonly version: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly config: ConfigView;
  readonly spool: { readonly pending: number; readonly quarantined: number };
  readonly deliveries: { readonly pending: number; readonly sent: number; readonly dead: number };
  readonly sessions: { readonly waiting: number; readonly working: number };
  readonly channels: readonly ChannelStateView[];
  /** What is muted now. */
  readonly mutes: readonly MuteView[];
  /** Looking sessions up with the vendor's service. */
  readonly api: ApiStateView;
  readonly events: number;
  /** When the present quiet hours end; null outside of them. */
  readonly quietUntil: string | null;
  /** Null where none is configured. */
  readonly heartbeat: HeartbeatView | null;
  /** Handing events on to another machine; null where nothing is relayed. */
  readonly relay: RelayView | null;
  /** Taking in what other machines relay; null where nobody is listened to. */
  readonly listen: ListenView | null;
  /** What is answered over TCP on this machine; empty where the configuration wants nothing of it. */
  readonly endpoints: readonly EndpointView[];
  /** What a person should know of: a replaced database, a full disk, a config that was not taken. */
  readonly warnings: readonly string[];
}

export interface EndpointView {
  /** The section of the configuration. */
  readonly name: 'metrics' | 'reply_page';
  /** Such as "http://127.0.0.1:9464"; null where it cannot be served, which a warning explains. */
  readonly origin: string | null;
}

export interface HeartbeatView {
  readonly everyMs: number;
  /** The last try; null before the first. */
  readonly lastAt: string | null;
  /** Why that failed; null when it did not. */
  readonly reason: string | null;
}

export interface ChannelStateView {
  readonly name: string;
  readonly type: string;
  /** `ok`, `limited` (waits until notBefore), `open` (circuit open after failures), `broken` (cannot be set up). */
  readonly state: 'ok' | 'limited' | 'open' | 'broken';
  readonly lastOutcome: 'delivered' | 'retry' | 'failed' | null;
  readonly lastReason: string | null;
  readonly notBefore: string | null;
}

export interface SessionView {
  readonly key: string;
  readonly agent: AgentName;
  readonly sessionId: string | null;
  readonly state: SessionState;
  readonly since: string;
  readonly waitingFor: string | null;
  /** When a person said that they have seen what it wants; null where nobody did, or it wants nothing. */
  readonly acknowledgedAt: string | null;
  /** Until when what it wants is snoozed; null where it is not. */
  readonly snoozedUntil: string | null;
  readonly project: string | null;
  readonly cwd: string | null;
  /** The title, or the beginning of the first prompt where there is none. */
  readonly title: string | null;
  /** Where it runs: the paired machine, or what the vendor's service says; null: here, as far as is known. */
  readonly computer: string | null;
  readonly startedAt: string;
  readonly lastEventAt: string;
  readonly lastTurnMs: number | null;
}

export interface HistoryView {
  readonly eventId: string;
  readonly at: string;
  /** The paired machine it came from; null: this one. */
  readonly machine: string | null;
  readonly agent: AgentName;
  readonly event: string;
  readonly kind: Kind;
  readonly severity: Severity;
  readonly sessionId: string | null;
  readonly project: string | null;
  /** The headline as channels show it. */
  readonly title: string;
  readonly decisions: readonly Decision[];
  readonly deliveries: readonly HistoryDeliveryView[];
}

export interface HistoryDeliveryView {
  readonly id: string;
  readonly channel: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly reason: string | null;
  readonly sentAt: string | null;
  /** The event whose message contains this one as well; null for a message of its own. */
  readonly sentWith: string | null;
}

export interface FollowView {
  readonly events: readonly HistoryView[];
  /** Stands behind the last event of the answer, and of all that were passed over. */
  readonly cursor: string;
}

export interface EventView extends HistoryView {
  readonly receivedAt: string;
  readonly message: string | null;
  readonly tool: string | null;
  readonly cwd: string | null;
  readonly body: string;
  /** How long the turn took that it ended; null where it ended none, or nobody saw it begin. */
  readonly turnMs: number | null;
  readonly facts: HookFacts;
  /** The payload as the hook received it; bad bytes shown as U+FFFD. */
  readonly payload: string;
  readonly deliveries: readonly EventDeliveryView[];
}

export interface EventDeliveryView extends HistoryDeliveryView {
  readonly step: number;
  readonly dueAt: string;
  readonly possibleDuplicate: boolean;
  readonly log: readonly AttemptView[];
}

export interface AttemptView {
  readonly number: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly outcome: string;
  readonly reason: string | null;
}

export interface DeliveryView {
  readonly id: string;
  readonly eventId: string;
  readonly channel: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly reason: string | null;
  readonly createdAt: string;
  readonly dueAt: string;
  /** Why it is not to be sent before `dueAt`; null: it is. */
  readonly heldFor: HoldReason | null;
}

export interface AlertView {
  readonly id: string;
  readonly session: string;
  readonly state: AlertState;
  readonly kind: Kind;
  readonly eventId: string;
  readonly openedAt: string;
  readonly expiresAt: string;
  readonly acknowledgedAt: string | null;
  readonly plan: string;
}

/** Null: whatever it is. */
export interface MuteView {
  readonly id: string;
  readonly createdAt: string;
  /** Null: until it is taken back. */
  readonly until: string | null;
  readonly session: string | null;
  readonly project: string | null;
  readonly agent: AgentName | null;
  readonly channel: string | null;
  readonly kind: Kind | null;
}

export interface CountView {
  readonly count: number;
}

export interface ChannelTestView {
  readonly channel: string;
  readonly type: string;
  readonly outcome: 'delivered' | 'retry' | 'failed';
  readonly reason: string | null;
  readonly durationMs: number;
  /** Whether a click on what was shown says "seen". */
  readonly clickAcknowledges: boolean;
}

export interface ChannelCheckView {
  readonly channel: string;
  readonly type: string;
  readonly ok: boolean;
  readonly summary: string;
  readonly hint: string | null;
}

export interface AgentView {
  readonly agent: AgentName;
  readonly lastEventAt: string;
  readonly lastEvent: string;
}

/** Begins the warning of a channel whose circuit is open. Lists of channels show the same, with the reason. */
export function channelWarning(channel: string): string {
  return `Channel "${channel}" is out of order`;
}

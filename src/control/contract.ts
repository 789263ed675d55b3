import type { ChannelCheck } from '../core/channel.ts';
import type { ConfigView } from '../config/config-holder.ts';
import type { PresenceSourceView } from '../attention/presence.ts';
import type {
  AgentView,
  AlertView,
  AttemptView,
  AnswerView,
  AskedQuestionView,
  ApiCheckView,
  ApiStateView,
  CountView,
  DaemonStarter,
  DigestSentView,
  EndpointView,
  HeartbeatView,
  InIso,
  ListenView,
  OpenView,
  ProgramAnswers,
  PageLinkView,
  QuarantineView,
  RecordedQuestionView,
  RelayCheckView,
  RelayView,
  SnoozeView,
} from './contract-views.ts';
import type { CallerChallenge } from './caller.ts';
import type { HubControlAnswers, MeAnswers } from './hub-contract.ts';
import type { HistoryEntry, ReceivedWord, WaitsSeen, SelfCheck } from '../core/history.ts';
import type { ChannelState, Delivery } from '../core/delivery.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { MetricFamily, UsageCounters } from '../core/metrics.ts';
import type { Severity } from '../core/notification.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Mute } from '../core/policy.ts';
import type { Session } from '../core/session.ts';
import type { WaitingReport } from '../core/waiting.ts';
import type { PastRequest } from '../alerts/requests/propose-rules.ts';

/**
 * The daemon's responses on its control socket, which the reading commands print with `--json`: camelCase, times as ISO
 * 8601 in UTC, durations in ms. Keys are "METHOD /v1/name".
 */
export interface ControlAnswers extends HubControlAnswers, MeAnswers, ProgramAnswers {
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
   * Query: after (an event id) or cursor (of the previous response), limit, waitMs, and the filters of GET /v1/history;
   * rang=1: a message was sent or is pending. Returns events that arrived after that, oldest first; waits if there are
   * none yet. Without `after`: the newest.
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
  /** Body: { session: key, id or the beginning of an id } or { all: true }. Cancels later steps. */
  'POST /v1/ack': CountView;
  /** Body: { session: key, id or the beginning of an id, forMs }. Its alert notifies again then, if it is still open. */
  'POST /v1/snooze': SnoozeView;
  /** Body: { session: key, id or the beginning of an id, or the link of a notification }. Brings its terminal forward. */
  'POST /v1/open': OpenView;
  /** Requests whose agents wait for an answer, oldest first. Query: limit. */
  'GET /v1/questions': readonly AskedQuestionView[];
  /** The record of such requests and their answers, latest first. Query: limit. */
  'GET /v1/answers': readonly RecordedQuestionView[];
  'POST /v1/caller': CallerChallenge;
  /** Body: { question, requestHash, choice, words?, answers?, caller }. Refused for a process that is not a person's. */
  'POST /v1/answer': AnswerView;
  /**
   * Body: { for: 'browser' | 'print', caller? }. Serves the page, and makes a link that signs one browser in. A link for
   * `print` may allow requests if the caller is a person; one for `browser`, which a file names, after a code.
   */
  'POST /v1/page': PageLinkView;
  /** Signs all browsers out of the page. */
  'POST /v1/page-sign-out': CountView;
  'GET /v1/mutes': readonly MuteView[];
  /** Body: { forMs (null: until unmuted), session?, project?, agent?, channel?, kind? }. */
  'POST /v1/mutes': MuteView;
  /** Body: { ids } or { all: true }. Held deliveries are decided upon again. */
  'POST /v1/unmute': CountView;
  /** Body: { channels?: names, or all?: true, facts?: the caller's environment }. Sends a test through each. */
  'POST /v1/test': readonly ChannelTestView[];
  /** Checks whether each channel would work, without sending. */
  'GET /v1/channels': readonly ChannelCheckView[];
  'GET /v1/quarantine': readonly QuarantineView[];
  'GET /v1/agents': readonly AgentView[];
  /** Query: since (Unix ms). Names of events and types of notification received since then. */
  'GET /v1/words-received': readonly ReceivedWord[];
  'GET /v1/waits-seen': readonly WaitsSeen[];
  /** Whether every accepted event has an outcome, or a time at which the next step is due. */
  'GET /v1/self-check': SelfCheck;
  /** How the daemon detects presence. */
  'GET /v1/presence': readonly PresenceSourceView[];
  /** Sends a request to each part of the vendor's service that the configuration needs, to check whether it responds. */
  'GET /v1/api': ApiCheckView;
  /** Checks whether the machine this one relays to responds; null: relaying is not configured. */
  'GET /v1/relay': RelayCheckView | null;
  /** Query: from (inclusive), to (exclusive), Unix ms. */
  'GET /v1/usage': UsageCounters;
  /** Query: by (a dimension; "day" if left out), since and until (Unix ms; until now if left out), of when they began. */
  'GET /v1/waiting': WaitingView;
  /** Query: since, Unix ms. What agents asked for, and what they did. */
  'GET /v1/requests': readonly PastRequest[];
  /** Sends the configured digest now. */
  'POST /v1/digest': DigestSentView;
  'POST /v1/reload': ConfigView;
  /** Body: { from, to } ("22:00") or { off: true }. Changes the quiet hours in the configuration file. */
  'POST /v1/quiet-hours': ConfigView;
  'POST /v1/stop': { readonly pid: number };
}

export interface StatusView {
  readonly version: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly startedBy: DaemonStarter;
  readonly config: ConfigView;
  readonly spool: { readonly pending: number; readonly quarantined: number };
  readonly deliveries: { readonly pending: number; readonly sent: number; readonly dead: number };
  readonly sessions: { readonly waiting: number; readonly working: number };
  readonly channels: readonly ChannelStateView[];
  /** Active mutes. */
  readonly mutes: readonly MuteView[];
  /** Session lookup with the vendor's service. */
  readonly api: ApiStateView;
  readonly events: number;
  /** When the current quiet hours end; null outside of them. */
  readonly quietUntil: string | null;
  /** Null if not configured. */
  readonly heartbeat: HeartbeatView | null;
  /** Relaying events to another machine; null if not configured. */
  readonly relay: RelayView | null;
  /** Accepting events from other machines; null if not configured. */
  readonly listen: ListenView | null;
  /** TCP endpoints on this machine; empty if not configured. */
  readonly endpoints: readonly EndpointView[];
  /** Warnings for people: a replaced database, a full disk, a rejected configuration. */
  readonly warnings: readonly string[];
}

export interface ChannelStateView extends Pick<ChannelState, 'lastOutcome' | 'lastReason'> {
  readonly name: string;
  readonly type: string;
  /** `ok`, `limited` (waits until notBefore), `open` (circuit open after failures), `broken` (cannot be set up). */
  readonly state: 'ok' | 'limited' | 'open' | 'broken';
  readonly notBefore: string | null;
  /** What its service has asked to wait with besides sending, until when. */
  readonly paused: readonly { readonly what: string; readonly until: string }[];
}

export interface SessionView extends Pick<
  Session,
  'key' | 'agent' | 'sessionId' | 'state' | 'waitingFor' | 'project' | 'cwd' | 'lastTurnMs'
> {
  /** What an agent is called that hookbell does not know (`install --agent custom`); null: none. */
  readonly called: string | null;
  readonly since: string;
  /** When a person acknowledged its alert, and until when it is snoozed; null: not. */
  readonly acknowledgedAt: string | null;
  readonly snoozedUntil: string | null;
  readonly hasTerminal: boolean;
  readonly seenBy: 'hooks' | 'record';
  /** The editor that runs the agent by the Agent Client Protocol; null: none, as far as known. */
  readonly host: string | null;
  /** The title, or the beginning of the first prompt if it has none. */
  readonly title: string | null;
  /** Where it runs: the paired machine, or the one the vendor's service reports; null: here, as far as known. */
  readonly computer: string | null;
  readonly startedAt: string;
  readonly lastEventAt: string;
  readonly schedule: { readonly until: string | null; readonly round: number } | null;
}

/** Waiting time, as `hookbell waiting` shows it (docs/waiting-time.md), and the sessions that wait for a time instead. */
export interface WaitingView extends InIso<WaitingReport, 'since' | 'until'> {
  readonly paused: readonly SessionView[];
}

export interface HistoryView
  extends
    Pick<HookEvent, 'machine' | 'agent' | 'event' | 'kind' | 'sessionId' | 'project'>,
    Pick<HistoryEntry, 'decisions'> {
  readonly eventId: string;
  readonly at: string;
  readonly called: string | null;
  readonly severity: Severity;
  /** The headline as channels show it; `text`: the first line below it. */
  readonly title: string;
  readonly text: string;
  readonly deliveries: readonly HistoryDeliveryView[];
}

export interface HistoryDeliveryView extends Pick<
  HistoryEntry['deliveries'][number],
  'id' | 'channel' | 'state' | 'attempts' | 'reason' | 'sentWith'
> {
  /** Absent: all readers of the channel. */
  readonly recipient?: string;
  readonly sentAt: string | null;
}

export interface FollowView {
  readonly events: readonly HistoryView[];
  /** Positioned after the last event of the response, and of all that were skipped. */
  readonly cursor: string;
}

export interface EventView
  extends
    HistoryView,
    Pick<HookEvent, 'message' | 'tool' | 'cwd' | 'facts'>,
    Pick<HistoryEntry, 'turnMs'> {
  readonly receivedAt: string;
  readonly body: string;
  readonly whole: string | null;
  /** The payload as the hook received it; bad bytes shown as U+FFFD. */
  readonly payload: string;
  readonly deliveries: readonly EventDeliveryView[];
}

export interface EventDeliveryView
  extends HistoryDeliveryView, Pick<Delivery, 'step' | 'possibleDuplicate'> {
  readonly dueAt: string;
  readonly log: readonly AttemptView[];
}

export interface DeliveryView
  extends
    Omit<HistoryDeliveryView, 'sentAt' | 'sentWith'>,
    InIso<Pick<Delivery, 'eventId' | 'createdAt' | 'dueAt' | 'heldFor'>, 'createdAt' | 'dueAt'> {}

/** Null: any; in `until`: until unmuted. */
export interface MuteView extends InIso<Omit<Mute, 'sessionKey'>, 'createdAt' | 'until'> {
  readonly session: string | null;
}

export interface ChannelTestView {
  readonly channel: string;
  readonly type: string;
  readonly outcome: Outcome['type'];
  readonly reason: string | null;
  readonly durationMs: number;
  /** Whether a click on the notification acknowledges the alert. */
  readonly clickAcknowledges: boolean;
}

export interface ChannelCheckView
  extends Omit<ChannelCheck, 'hint'>, Pick<ChannelTestView, 'channel' | 'type'> {
  readonly hint: string | null;
  /** Its abilities, and those of its type that it lacks, with what they need. */
  readonly can: string;
  readonly cannot: string;
}

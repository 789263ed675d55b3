import type { Alert } from '../core/alert.ts';
import type { ChannelCheck } from '../core/channel.ts';
import type { Attempt } from '../core/delivery.ts';
import type { AgentName } from '../core/hook-event.ts';
import type { MachinePolicy } from '../core/hub/machine-policy.ts';
import type { ProgramAnswer, Question, ShownQuestion, WordsSent } from '../core/question.ts';
import type { Quarantined } from '../core/store-aging.ts';

/** A record with these times, Unix ms, as ISO 8601 in UTC. */
export type InIso<Row, Times extends keyof Row> = Omit<Row, Times> & {
  readonly [Time in Times]: string | Extract<Row[Time], null>;
};

/** Session lookup with the vendor's service, as `status` shows it. */
export interface ApiStateView {
  /** `off`: no address or no key. `paused`: no requests until `until`, because of `reason`. */
  readonly state: 'off' | 'ok' | 'paused';
  readonly until: string | null;
  /** The last error; null while all is well. */
  readonly reason: string | null;
}

/** The service's current responses: for sessions, and for each other part that the configuration needs. */
export interface ApiCheckView {
  readonly state: 'off' | 'ok' | 'failed';
  /** Duration of the request; null if none was sent. */
  readonly durationMs: number | null;
  readonly reason: string | null;
  /** Usage data, which needs another role than sessions; null if neither `budget` nor `digest` is configured. */
  readonly analytics: ApiPartView | null;
  /** Readiness reports, at a separate address; null if neither configured nor needed. */
  readonly readiness: ApiPartView | null;
}

/** How one part of the vendor's service responded to one request. */
export interface ApiPartView {
  readonly state: 'ok' | 'failed';
  readonly durationMs: number;
  /** Null if it is well. */
  readonly reason: string | null;
  /** How the person can fix it; null if unknown. */
  readonly hint: string | null;
}

export interface SnoozeView {
  /** The whole id of the session, or its key if the agent sends no id. */
  readonly session: string;
  readonly until: string;
  /** Channels that notify again then. */
  readonly channels: readonly string[];
}

export interface OpenView {
  /** The whole id of the session, or its key if the agent sends no id. */
  readonly session: string;
  /** Why its terminal could not be brought forward; null if it was. */
  readonly reason: string | null;
}

export interface DigestSentView {
  readonly title: string;
  /** Its destination. */
  readonly channels: readonly string[];
}

export type QuarantineView = InIso<Quarantined, 'at'>;

export interface RelayView {
  /** As written in the configuration. */
  readonly to: string;
  /** `starting`: nothing sent yet. `down`: the remote does not respond. `refused`: a person has to act. */
  readonly state: 'starting' | 'ok' | 'down' | 'refused';
  /** The last error; null while all is well. */
  readonly reason: string | null;
  /** When the other machine last accepted events. */
  readonly lastAt: string | null;
  /** The number of events that wait to be relayed, and since when. */
  readonly waiting: number;
  readonly waitingSince: string | null;
  /** What the hub there forbids this machine; null: nothing was ever set. */
  readonly policy: PolicyView | null;
}

/** The policy of a hub for its machines. */
export interface PolicyView extends MachinePolicy {
  readonly setAt: string;
}

export type RelayCheckView = Pick<ChannelCheck, 'ok' | 'summary'>;

export interface ListenView {
  /** Paths of sockets, and URLs. */
  readonly addresses: readonly string[];
  /** Why it does not listen; null when it does. */
  readonly problem: string | null;
  readonly machines: readonly {
    readonly name: string;
    readonly pairedAt: string;
    /** Its last request since the daemon started. */
    readonly lastSeenAt: string | null;
  }[];
}

/** A request whose agent waits for an answer. */
export interface AskedQuestionView
  extends
    Pick<Question, 'id' | 'agent' | 'tool' | 'state' | 'choices' | 'requestHash'>,
    Pick<ShownQuestion, 'project' | 'cwd' | 'text' | 'asks'> {
  /** The whole id of the session, or its key if the agent sends no id. */
  readonly session: string;
  readonly subagent: boolean;
  readonly since: string;
  /** When it is left to the terminal. */
  readonly until: string;
}

/** A request that was or is held for an answer, from the record. */
export interface RecordedQuestionView extends Pick<
  AskedQuestionView,
  'id' | 'session' | 'agent' | 'tool' | 'state' | 'since'
> {
  /** Who decided what, through what and when, or why it was released; a sentence without a full stop. */
  readonly outcome: string;
}

export interface EndpointView {
  /** The section of the configuration. */
  readonly name: 'metrics' | 'reply_page' | 'page' | 'hub.page';
  /** Such as "http://127.0.0.1:9464"; null if it cannot be served, which a warning explains. */
  readonly origin: string | null;
}

export interface HeartbeatView {
  readonly everyMs: number;
  /** The last attempt; null before the first. */
  readonly lastAt: string | null;
  /** Why that failed; null if it did not. */
  readonly reason: string | null;
}

/** A link that signs one browser in to the page. */
export interface PageLinkView {
  /** Where the link leads: an address of this machine, or that of the configured proxy. */
  readonly url: string;
  /** A private file that redirects a browser to the link; null if it is to be printed. */
  readonly file: string | null;
  readonly expiresAt: string;
  /** Typed on the page, it lets the browser allow requests; null: the link needs none, or cannot get that right. */
  readonly code: string | null;
  /** Why the browser will not be able to allow requests; null if it will. */
  readonly limit: string | null;
}

export interface AnswerView {
  /** True if this answer was the first and was sent to the agent. */
  readonly accepted: boolean;
  /** Why it was not; null if it was. */
  readonly reason: string | null;
}

export interface WordsView {
  readonly state: WordsSent['state'];
  /** Why nothing was sent; null if it was. */
  readonly reason: string | null;
}

export interface AgentView {
  readonly agent: AgentName;
  readonly lastEventAt: string;
  readonly lastEvent: string;
}

export interface CountView {
  readonly count: number;
}

export interface AlertView extends Pick<Alert, 'id' | 'state' | 'kind' | 'eventId'> {
  readonly session: string;
  readonly openedAt: string;
  readonly expiresAt: string;
  readonly acknowledgedAt: string | null;
  readonly plan: string;
}

/** What started a daemon: a hook, a person's command, a service manager, or a person who watches it in a terminal. */
export type DaemonStarter = 'hook' | 'command' | 'service' | 'terminal';

/** Begins the warning of a channel whose circuit is open. Lists of channels show the same, with the reason. */
export function channelWarning(channel: string): string {
  return `Channel "${channel}" is out of order`;
}

export type AttemptView = InIso<Attempt, 'startedAt'>;

/** The responses to programs that ask a person, and to a person's words. */
export interface ProgramAnswers {
  /** Body: { session, text, caller }. For sessions whose agent waits for words; refused for a process that an agent runs. */
  'POST /v1/words': WordsView;
  /** Body: a `ProgramAsk`. Asks a person, or returns what became of that question; waits at most `waitMs`. */
  'POST /v1/ask': ProgramAnswer;
  /** Body: { id }. Withdraws the question of a program. */
  'POST /v1/ask-over': CountView;
}

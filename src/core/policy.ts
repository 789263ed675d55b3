import type { AgentName, Kind } from './hook-event.ts';
import type { Severity } from './notification.ts';

/**
 * What is known of the person at this machine. Everything may be unknown (null), and unknown never keeps a
 * notification back.
 */
export interface Presence {
  /** False when the screen is locked or nothing was typed for minutes. */
  readonly here: boolean | null;
  /** True when the person looks at the very terminal of the session in question. */
  readonly watching: boolean | null;
}

/** What is known of the person with regard to the session with this key; null when nobody has looked for it yet. */
export type PresenceOf = (sessionKey: string) => Presence | null;

export const unknownPresence: Presence = { here: null, watching: null };

/** One step of a plan: wait `afterMs` from the opening of the alert, then tell these channels. */
export interface Step {
  readonly afterMs: number;
  /** Names of configured channels. */
  readonly notify: readonly string[];
  /** Tells them again, so often and so many times more, while nobody has reacted. */
  readonly repeat: Repeat | null;
  /** The step is skipped where this does not hold when it is due. */
  readonly condition: StepCondition | null;
}

export interface Repeat {
  readonly everyMs: number;
  /** How often the step is done in all, the first time included. */
  readonly atMost: number;
}

/** All given conditions must hold; what cannot be known holds, since an unheard question is worse than one ring. */
export interface StepCondition {
  readonly presence?: 'here' | 'away';
  readonly hours?: HourRange;
  readonly attended?: boolean;
}

/** From one time of the day (inclusive) to another (exclusive); it may go over midnight. */
export interface HourRange {
  /** Minutes since midnight. */
  readonly from: number;
  readonly to: number;
  /** An IANA time zone, such as "Europe/Berlin". */
  readonly timezone: string;
}

/** One window in which people are not to be disturbed, and what happens meanwhile. */
export interface QuietHours extends HourRange {
  /** Days of the week on which it begins, 0 = Sunday; null: every day. */
  readonly days: readonly number[] | null;
  readonly letThrough: readonly Kind[];
  /** `hold`: told together when it is over. `discard`: not told at all. `channels`: told there and nowhere else. */
  readonly meanwhile:
    | { readonly type: 'hold' }
    | { readonly type: 'discard' }
    | { readonly type: 'channels'; readonly channels: readonly string[] };
}

/** What keeps many events from becoming many rings. It concerns the channels people read. */
export interface NoisePolicy {
  /** So many of a channel within the window are told at once; the rest together when it is over. */
  readonly burst: { readonly atOnce: number; readonly windowMs: number };
  /** At most so many within an hour; the rest is told together when there is room again. */
  readonly perSessionAnHour: number;
  readonly perChannelAnHour: number;
  /** An alert that ends within this time of its opening never reaches the later steps. */
  readonly flapMs: number;
}

/** What happens to the first step when the person looks at the session's own terminal. */
export type WatchingPolicy = 'ring' | 'soften' | 'suppress';

/** The end of a turn waits while the vendor's service says that the session still runs. */
export interface HoldStopPolicy {
  readonly forMs: number;
  /** What becomes of it when the session runs even then: `tell` says that it does, `drop` tells nobody. */
  readonly afterwards: 'tell' | 'drop';
}

/** The events of this machine are relayed to another one. */
export interface RelayPolicy {
  /** Where to, for people. */
  readonly to: string;
  /** Whether this machine tells people of them as well. */
  readonly ringHere: boolean;
}

/** Ordered steps. The plan named "none" has no steps. */
export interface Plan {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** All given conditions must hold; a list holds when one of its members does. An empty match fits every event. */
export interface Match {
  readonly kind?: readonly Kind[];
  readonly agent?: readonly AgentName[];
  /** Globs on the name of the paired machine an event came from; those of this machine have none. */
  readonly machine?: readonly string[];
  /** Globs on the agent's, or the source's, own name of the event. */
  readonly event?: readonly string[];
  /** Globs on the project's name or, with a slash, on the whole directory. */
  readonly project?: readonly string[];
  readonly tool?: readonly string[];
  readonly severity?: readonly Severity[];
  /** Of a turn: its length is known and greater, ms. */
  readonly longerThanMs?: number;
  readonly subagent?: boolean;
  readonly attended?: boolean;
  readonly permissionMode?: readonly string[];
  /** Globs on the session's title. */
  readonly title?: readonly string[];
  /** Globs on the message, without regard to case. */
  readonly message?: readonly string[];
  /** Globs on the reason an event gives, such as why a session ended. */
  readonly reason?: readonly string[];
  readonly hours?: HourRange;
}

/** The first route whose match fits chooses the plan; `also` goes on to the next one as well. */
export interface Route {
  /** Where it stands, for people: "routes[2]", or "default: waiting". */
  readonly name: string;
  readonly match: Match;
  readonly plan: string;
  readonly also: boolean;
}

/** Everything the decisions depend on; made from the configuration. */
export interface Policy {
  readonly routes: readonly Route[];
  readonly plans: Readonly<Record<string, Plan>>;
  /** Channels that serve programs, not people: what they are owed is sent even when it is answered meanwhile. */
  readonly programChannels: readonly string[];
  /** Where tests go: channels on this machine. */
  readonly testChannels: readonly string[];
  /** The first window that holds decides what happens meanwhile; they are over when none holds. Empty: none. */
  readonly quietHours: readonly QuietHours[];
  readonly noise: NoisePolicy;
  /** A live alert nobody reacted to is given up after this time. */
  readonly expireAfterMs: number;
  readonly whenWatching: WatchingPolicy;
  /** Null: the service is not asked. */
  readonly holdStop: HoldStopPolicy | null;
  /**
   * How long a request of an agent has to stay open before a channel gets it, ms, by the name of the channel; one that is not
   * listed gets it at once.
   */
  readonly settleMs: Readonly<Record<string, number>>;
  /** Null: nothing is relayed. */
  readonly relay: RelayPolicy | null;
}

/** What a person does not want to hear of for a while. All given conditions must hold; none: everything. */
export interface Mute {
  readonly id: string;
  readonly createdAt: number;
  /** Unix ms; null: until it is taken back. */
  readonly until: number | null;
  readonly sessionKey: string | null;
  readonly project: string | null;
  readonly agent: AgentName | null;
  readonly channel: string | null;
  readonly kind: Kind | null;
}

/** What the file `.hookbell.yaml` of a project asks for: to be told less of it, and how to call it. */
export interface ProjectSettings {
  /** Where the file is. */
  readonly file: string;
  /** What notifications call the project; null: as its directory is called. */
  readonly label: string | null;
  /** Kinds that people are not told of. */
  readonly mute: readonly Kind[];
  /** Why the file, or a part of it, has no effect; null where all of it has. */
  readonly note: string | null;
}

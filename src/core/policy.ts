import type { AgentName, Kind } from './hook-event.ts';
import type { Addressee } from './hub/directory.ts';
import type { Severity } from './notification.ts';

/** Any value may be unknown (null), and an unknown value never suppresses a notification. */
export interface Presence {
  /** False if the screen is locked or the user was idle for minutes. */
  readonly isPresent: boolean | null;
  /** True if the session's own terminal has focus. */
  readonly watching: boolean | null;
}

export type PresenceOf = (sessionKey: string) => Presence | null;

export const unknownPresence: Presence = { isPresent: null, watching: null };

/** One step of a plan: wait `afterMs` from the opening of the alert, then notify these channels. */
export interface Step {
  readonly afterMs: number;
  readonly notify: readonly string[];
  /** Repeats the step at this interval, up to this many times, until a person reacts. */
  readonly repeat: Repeat | null;
  /** The step is skipped if this does not hold when it is due. */
  readonly condition: StepCondition | null;
  /** Whom personal channels notify; absent: the owner of the machine. */
  readonly to?: Addressee;
}

export interface Repeat {
  readonly everyMs: number;
  /** Total runs of the step, including the first. */
  readonly atMost: number;
}

/** An unknown value counts as met: a missed question is worse than an unneeded notification. */
export interface StepCondition {
  readonly presence?: 'here' | 'away';
  readonly hours?: HourRange;
  readonly attended?: boolean;
}

/** From one time of day (inclusive) to another (exclusive); it may span midnight. */
export interface HourRange {
  /** Minutes since midnight. */
  readonly from: number;
  readonly to: number;
  /** An IANA time zone, such as "Europe/Berlin". */
  readonly timezone: string;
}

/** One window in which people must not be disturbed, and the handling of notifications meanwhile. */
export interface QuietHours extends HourRange {
  /** Days of the week on which it begins, 0 = Sunday; null: every day. */
  readonly days: readonly number[] | null;
  readonly letThrough: readonly Kind[];
  /** `hold`: send them together when it is over. `discard`: do not send them. `channels`: send them only there. */
  readonly meanwhile:
    | { readonly type: 'hold' }
    | { readonly type: 'discard' }
    | { readonly type: 'channels'; readonly channels: readonly string[] };
}

/** Limits against too many notifications, for channels that people read. */
export interface NoisePolicy {
  /** This many per channel within the window are sent immediately; the rest together when it is over. */
  readonly burst: { readonly atOnce: number; readonly windowMs: number };
  /** At most this many per hour; the rest is sent together when there is room again. */
  readonly perSessionAnHour: number;
  readonly perChannelAnHour: number;
  /** An alert that ends within this time of its opening never reaches the later steps. */
  readonly flapMs: number;
}

/** How to handle the first step while the session's terminal has focus. */
export type WatchingPolicy = 'ring' | 'soften' | 'suppress';

/** Holds the end of a turn while the session still runs according to the vendor's service. */
export interface HoldStopPolicy {
  readonly forMs: number;
  /** If the session still runs after that: `tell` reports that it runs, `drop` sends nothing. */
  readonly afterwards: 'tell' | 'drop';
}

/** The events of this machine are relayed to another one. */
export interface RelayPolicy {
  /** The destination, for people. */
  readonly to: string;
  /** Whether this machine notifies people as well. */
  readonly notifiesHere: boolean;
}

/** Ordered steps. The plan named "none" has no steps. */
export interface Plan {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** All given conditions must hold; a list holds if one of its members does. An empty match fits every event. */
export interface Match {
  readonly kind?: readonly Kind[];
  readonly agent?: readonly AgentName[];
  /** Globs on the name of the paired machine that sent the event; local events have none. */
  readonly machine?: readonly string[];
  /** Globs on the address and on the team of the person whose machine it is; without a hub there is none. */
  readonly person?: readonly string[];
  readonly team?: readonly string[];
  /** Globs on the agent's, or the source's, own name of the event. */
  readonly event?: readonly string[];
  /** Globs on the project's name or, with a slash, on the whole directory. */
  readonly project?: readonly string[];
  readonly tool?: readonly string[];
  readonly severity?: readonly Severity[];
  /** Minimum length of the turn, exclusive, ms. */
  readonly longerThanMs?: number;
  readonly subagent?: boolean;
  readonly attended?: boolean;
  readonly permissionMode?: readonly string[];
  /** Globs on the session's title. */
  readonly title?: readonly string[];
  /** Globs on the message, ignoring case. */
  readonly message?: readonly string[];
  /** Globs on the event's reason, such as why a session ended. */
  readonly reason?: readonly string[];
  readonly hours?: HourRange;
}

/** The first route whose match fits chooses the plan; with `also`, later routes are tried as well. */
export interface Route {
  /** Its place in the configuration, for people: "routes[2]", or "default: waiting". */
  readonly name: string;
  readonly match: Match;
  readonly plan: string;
  readonly also: boolean;
}

/** Everything the decisions depend on; made from the configuration. */
export interface Policy {
  readonly routes: readonly Route[];
  readonly plans: Readonly<Record<string, Plan>>;
  /** Channels for programs, not people: their deliveries are sent even if answered meanwhile. */
  readonly programChannels: readonly string[];
  /** Channels that write to one person: the recipient of each delivery. */
  readonly personalChannels: readonly string[];
  /** Channels that the policy of a hub forbids. */
  readonly forbiddenChannels?: readonly string[];
  /** Channels of tests: those on this machine. */
  readonly testChannels: readonly string[];
  /** The first window that holds decides the handling; quiet hours end when none holds. Empty: none. */
  readonly quietHours: readonly QuietHours[];
  readonly noise: NoisePolicy;
  /** A live alert without a reaction expires after this time. */
  readonly expireAfterMs: number;
  readonly whenWatching: WatchingPolicy;
  /** Whether each round of a session that wakes itself notifies like the end of a turn, not only the last. */
  readonly tellsRounds: boolean;
  readonly holdStop: HoldStopPolicy | null;
  /** By channel name: how long a request must stay open first, ms; others get it immediately. */
  readonly settleDelayMs: Readonly<Record<string, number>>;
  readonly relay: RelayPolicy | null;
}

/** Events muted for a while. All given conditions must hold; without conditions: everything. */
export interface Mute {
  readonly id: string;
  readonly createdAt: number;
  /** Unix ms; null: until it is removed. */
  readonly until: number | null;
  readonly sessionKey: string | null;
  readonly project: string | null;
  readonly agent: AgentName | null;
  readonly channel: string | null;
  readonly kind: Kind | null;
  /** Only what goes to this person of a hub; absent: all notifications. */
  readonly person?: string;
}

/** Settings in the file `.hookbell.yaml` of a project: kinds to mute, and a label. */
export interface ProjectSettings {
  readonly file: string;
  /** Name of the project in notifications; null: the name of its directory. */
  readonly label: string | null;
  /** Kinds that people are not notified of. */
  readonly mute: readonly Kind[];
  /** Why the file, or a part of it, has no effect; null if all of it does. */
  readonly note: string | null;
}

export interface MuteStore {
  /** Waiting deliveries that match are decided again, except on these channels. */
  add(mute: Mute, exceptChannels: readonly string[]): Promise<void>;
  /** Held deliveries are decided again. `all`: those not for one person. Returns how many. */
  remove(which: readonly string[] | 'all' | { readonly person: string }): Promise<number>;
  active(now: number): Promise<readonly Mute[]>;
}

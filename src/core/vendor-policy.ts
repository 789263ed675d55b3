/** The event of a digest that is for one person alone. */
export const PERSONAL_DIGEST = 'digest.personal';

/** When a digest is sent, to whom, and what it may say. */
export interface DigestPolicy {
  readonly every: 'day' | 'week';
  /** Of a weekly one: the day it is sent, 0 = Sunday. */
  readonly weekday: number;
  /** Names of channels. */
  readonly notify: readonly string[];
  /** Names of channels through which each person gets a digest of their own credits; empty: nobody does. */
  readonly each: readonly string[];
  /** Whether people are named; without it there are sums alone. */
  readonly users: boolean;
  readonly schedule: DailySchedule;
}

/** In a limit by name: whoever and whatever has none of its own. */
export const EACH_OTHER = '*';

/** How many standard credits may be used in a calendar month (UTC), and what is told of it. */
export interface BudgetPolicy {
  /** Null: the organization as a whole has no budget. */
  readonly organization: number | null;
  /** By model id, or `EACH_OTHER`. */
  readonly models: Readonly<Record<string, number>>;
  /** By e-mail address or user id, in lower case, or `EACH_OTHER`. */
  readonly users: Readonly<Record<string, number>>;
  /** Shares of a budget that are told of, in percent, lowest first. */
  readonly thresholds: readonly number[];
  /** Null: nothing is said of money, since standard credits are none. */
  readonly rate: CreditRate | null;
  /** Null: unusual days are not looked for. */
  readonly anomaly: AnomalyPolicy | null;
  readonly schedule: DailySchedule;
}

/** So much money for so many credits, by the person's own word. */
export interface CreditRate {
  readonly price: number;
  readonly per: number;
  readonly currency: string;
}

export interface AnomalyPolicy {
  /** A day below it is never unusual, standard credits. */
  readonly floor: number;
  /** Whether single users are looked at, and named, besides the organization. */
  readonly users: boolean;
}

/** When a job that runs once a day does so; minutes since midnight in the time zone. */
export interface DailySchedule {
  readonly at: number;
  /** From then on it makes do without what the service does not have yet. */
  readonly until: number;
  /** An IANA time zone, such as "Europe/Berlin". */
  readonly timezone: string;
}

/** How often something is looked at: from `everyMs` while it changes to `atMostMs` while nothing happens. */
export interface PollInterval {
  readonly everyMs: number;
  /** Not shorter than `everyMs`. */
  readonly atMostMs: number;
}

/** How long to wait for the next look. @param beforeMs the wait before this one */
export function nextInterval(
  { everyMs, atMostMs }: PollInterval,
  beforeMs: number,
  seen: 'moving' | 'still',
): number {
  return seen === 'moving' ? everyMs : Math.min(atMostMs, beforeMs * 1.5);
}

/** The computers of the service, and what is told of them. */
export interface ComputerWatchPolicy {
  readonly pace: PollInterval;
  /** One that is being set up for longer than this is told of. */
  readonly provisioningMs: number;
}

/** Which readiness reports are watched, and how often. */
export interface ReadinessWatchPolicy {
  readonly pace: PollInterval;
  /** Addresses of repositories, or the ends of these such as "acme/api"; empty: all. */
  readonly repositories: readonly string[];
}

/** How often the enterprise controls are looked at. */
export interface ControlsWatchPolicy {
  readonly pace: PollInterval;
}

/** The sessions of the service that no hook here tells of. */
export interface SessionPollPolicy {
  readonly pace: PollInterval;
  /** One that is pending for longer than this is told of. */
  readonly pendingMs: number;
  /** So many are looked at, in the service's order. */
  readonly most: number;
  /** One of these tags; null: any or none. */
  readonly tags: readonly string[] | null;
  /** Ids of computers; null: any or none. */
  readonly computers: readonly string[] | null;
  /** Address of a session's page, with "{session_id}" in it; null: none is shown. */
  readonly link: string | null;
}

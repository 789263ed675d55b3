/** The event of a digest for one person. */
export const PERSONAL_DIGEST = 'digest.personal';

/** Schedule, recipients and content of a digest. */
export interface DigestPolicy {
  readonly every: 'day' | 'week';
  /** Day of a weekly digest, 0 = Sunday. */
  readonly weekday: number;
  /** Names of channels. */
  readonly notify: readonly string[];
  /** Names of channels that send each person a digest of their own credits; empty: none. */
  readonly each: readonly string[];
  /** Whether people are named; otherwise only sums. */
  readonly users: boolean;
  readonly schedule: DailySchedule;
}

/** In limits by name: everyone and everything without a separate limit. */
export const EACH_OTHER = '*';

/** Budget of standard credits per calendar month (UTC), and its notifications. */
export interface BudgetPolicy {
  /** Null: no budget for the organization as a whole. */
  readonly organization: number | null;
  /** By model id, or `EACH_OTHER`. */
  readonly models: Readonly<Record<string, number>>;
  /** By e-mail address or user id, in lower case, or `EACH_OTHER`. */
  readonly users: Readonly<Record<string, number>>;
  /** Shares of a budget that notify, in percent, lowest first. */
  readonly thresholds: readonly number[];
  /** Null: money is not mentioned, because standard credits are not money. */
  readonly rate: CreditRate | null;
  /** Null: unusual days are not detected. */
  readonly anomaly: AnomalyPolicy | null;
  readonly schedule: DailySchedule;
}

/** Price of credits, as the user states it. */
export interface CreditRate {
  readonly price: number;
  readonly per: number;
  readonly currency: string;
}

export interface AnomalyPolicy {
  /** A day below this is never unusual, in standard credits. */
  readonly floor: number;
  /** Whether single users are checked, and named, besides the organization. */
  readonly users: boolean;
}

/** Time of a daily job; minutes since midnight in the time zone. */
export interface DailySchedule {
  readonly at: number;
  /** From then on it runs without data that the service does not have yet. */
  readonly until: number;
  /** An IANA time zone, such as "Europe/Berlin". */
  readonly timezone: string;
}

/** Poll interval: from `everyMs` while there are changes to `atMostMs` without changes. */
export interface PollInterval {
  readonly everyMs: number;
  /** Not shorter than `everyMs`. */
  readonly atMostMs: number;
}

/** Interval until the next poll, ms. @param beforeMs the previous interval */
export function nextInterval(
  { everyMs, atMostMs }: PollInterval,
  beforeMs: number,
  seen: 'moving' | 'still',
): number {
  return seen === 'moving' ? everyMs : Math.min(atMostMs, beforeMs * 1.5);
}

/** Watching the computers of the service. */
export interface ComputerWatchPolicy {
  readonly pace: PollInterval;
  /** A computer in setup for longer than this notifies, ms. */
  readonly provisioningMs: number;
}

/** Watched readiness reports, and the poll interval. */
export interface ReadinessWatchPolicy {
  readonly pace: PollInterval;
  /** Addresses of repositories, or their ends such as "acme/api"; empty: all. */
  readonly repositories: readonly string[];
}

/** Poll interval of the enterprise controls. */
export interface ControlsWatchPolicy {
  readonly pace: PollInterval;
}

/** Sessions of the service that no local hook reports. */
export interface SessionPollPolicy {
  readonly pace: PollInterval;
  /** A session pending for longer than this notifies, ms. */
  readonly pendingMs: number;
  /** Maximum sessions checked, in the service's order. */
  readonly most: number;
  /** One of these tags; null: any or none. */
  readonly tags: readonly string[] | null;
  /** Ids of computers; null: any or none. */
  readonly computers: readonly string[] | null;
  /** Address of a session's page, with "{session_id}" in it; null: not shown. */
  readonly link: string | null;
}

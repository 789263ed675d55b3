/** When a job that runs once a day does so; minutes since midnight in the time zone. */
export interface DailySchedule {
  readonly at: number;
  /** From then on it makes do without what the service does not have yet. */
  readonly until: number;
  /** An IANA time zone, such as "Europe/Berlin". */
  readonly timezone: string;
}

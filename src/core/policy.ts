import type { AgentName, Kind } from './hook-event.ts';
import type { Severity } from './notification.ts';

/** One step of a plan: wait `afterMs` from the opening of the alert, then tell these channels. */
export interface Step {
  readonly afterMs: number;
  /** Names of configured channels. */
  readonly notify: readonly string[];
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
  /** Globs on the project's name or, with a slash, on the whole directory. */
  readonly project?: readonly string[];
  readonly tool?: readonly string[];
  readonly severity?: readonly Severity[];
  /** Of a turn: its length is known and greater, ms. */
  readonly longerThanMs?: number;
  readonly subagent?: boolean;
  readonly attended?: boolean;
  readonly permissionMode?: readonly string[];
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
  readonly machineChannels: readonly string[];
}

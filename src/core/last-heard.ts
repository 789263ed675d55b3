import type { AgentName } from './hook-event.ts';

/** When a hook last told of a session. */
export interface LastHook {
  readonly agent: AgentName;
  /** Unix ms. */
  readonly at: number;
}

/** Where the last event of an agent came from; `doctor` shows it. */
export interface LastEvent extends LastHook {
  readonly event: string;
}

import type { AgentName, Kind } from './hook-event.ts';

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

import type { Client } from '../client/index.ts';
import type { Log } from '../../platform/log.ts';
import type { Redactor } from '../../text/redact.ts';
import type {
  LastHook,
  RaiseEvent,
  RaiseSessionEvent,
  SourceMemory,
} from '../../core/source-event.ts';
import type { UsageCounters } from '../../core/metrics.ts';

/** Something that asks the service by itself, again and again. */
export interface SourceJob {
  /** Does what is due. Never rejects; it is not called again before it has settled. */
  run(): Promise<void>;
  /** When it wants to be called next, Unix ms; an earlier call does no harm. */
  nextAt(): number;
  /** What it would send in its time, at once; answers a title. Rejects as the client does. */
  sendNow?(): Promise<string>;
}

/** What a source is made of. */
export interface SourceParts {
  /** For the log. */
  readonly name: string;
  /** The one of the daemon, whose lanes and breaker all share; their calls belong in the background lane. */
  readonly api: Client;
  readonly raise: RaiseEvent;
  readonly raiseNews: RaiseSessionEvent;
  /** When a hook last told of a session; null: none did. */
  readonly lastHook: (sessionId: string) => Promise<LastHook | null>;
  /** What is kept under a name, which begins with that of the source. */
  readonly memory: (name: string) => SourceMemory;
  /** What hookbell did from a time to another, Unix ms. */
  readonly tally: (range: { readonly from: number; readonly to: number }) => Promise<UsageCounters>;
  /** Takes out of foreign texts what is secret, by the configuration. */
  readonly redactor: Redactor;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Told what is wrong, and null once it is well again. */
  readonly onTrouble: (reason: string | null) => void;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/** Makes the job of a source by what the configuration says of it. Nothing is asked before the job runs. */
export type CreateSource<Policy> = (policy: Policy, parts: SourceParts) => SourceJob;

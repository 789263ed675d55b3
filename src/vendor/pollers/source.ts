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

/** A job that polls the service. */
export interface SourceJob {
  /** Does the due work. Never rejects; not called again before it has settled. */
  run(): Promise<void>;
  /** When to call it next, Unix ms; earlier calls are harmless. */
  nextAt(): number;
  /** Sends its next message immediately; returns the title. Rejects as the client does. */
  sendNow?(): Promise<string>;
}

/** The dependencies of a source. */
export interface SourceParts {
  /** For the log. */
  readonly name: string;
  /** The client of the daemon, with lanes and breaker shared by all; sources use the background lane. */
  readonly api: Client;
  readonly raise: RaiseEvent;
  readonly raiseNews: RaiseSessionEvent;
  /** When a hook last reported a session; null: never. */
  readonly lastHook: (sessionId: string) => Promise<LastHook | null>;
  /** The storage under a name, which begins with the name of the source. */
  readonly memory: (name: string) => SourceMemory;
  /** Figures of hookbell itself between two times, Unix ms. */
  readonly tally: (range: { readonly from: number; readonly to: number }) => Promise<UsageCounters>;
  /** Redacts secrets in untrusted text, as configured. */
  readonly redactor: Redactor;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Called with the current failure, and with null after recovery. */
  readonly onTrouble: (reason: string | null) => void;
  /** Aborts running requests. */
  readonly signal: AbortSignal;
}

/** Creates the job of a source from its configuration. Sends no request before the job runs. */
export type CreateSource<Policy> = (policy: Policy, parts: SourceParts) => SourceJob;

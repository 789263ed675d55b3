import type { AgentTraits } from '../../core/agent/agent-traits.ts';
import type { HookFacts } from '../../core/facts.ts';
import type { DialectName, Kind } from '../../core/hook-event.ts';
import type { Registration, Trial } from '../../core/agent/registration.ts';
import type { Payload, Wire } from './payload.ts';
import type { Witness } from './seen-events.ts';
import type { TranscriptReading } from './transcript-lines.ts';
import type { Meaning, Vocabulary } from './vocabulary.ts';

/** What shows that a payload came from an agent. */
export interface Evidence {
  /** Other agents run its hooks as well, so that `--agent` in a command proves nothing. */
  readonly isRunByOthers?: boolean;
  /** The directory of its transcripts. */
  readonly home?: string;
  /** Whether the payload is one that only this agent sends. The environment may add to that, and never stands alone. */
  readonly proof?: (wire: Wire, facts: HookFacts) => boolean;
  /** Whether a variable is set that only this agent sets: a name, no proof. */
  readonly variable?: (facts: HookFacts) => boolean;
  /** Like `variable`, but the agents it starts inherit it: late, and not against the payload (null: unreadable). */
  readonly inherited?: (facts: HookFacts, wire: Wire | null) => boolean;
  /** Whether a field of several agents has a value that only this one is known to send: a name, no proof. */
  readonly values?: (wire: Wire) => boolean;
}

/** The default export of a file or folder in `src/agents/`: everything that is particular to one agent. */
export interface Dialect {
  readonly agent: DialectName;
  /** The name of the product, for the documentation. */
  readonly name: string;
  readonly evidence: Evidence;
  /** Its names for fields that others call differently, with the usual name; null: that field means something else, and is not read. */
  readonly spelling?: Readonly<Record<string, string | null>>;
  /** Its events and types of notification; an event that is not listed is `activity`. */
  readonly vocabulary: Vocabulary;
  /** Permanent identity of an event in its session: its name and the agent's ids. Null: only the same bytes in a short time are one. */
  readonly identity?: (payload: Payload, meaning: Meaning) => readonly string[] | null;
  /** For an agent without such ids that may report one event twice in different bytes: the part that stays the same, for that short time. */
  readonly likeness?: (payload: Payload, meaning: Meaning) => readonly string[];
  /** Whether the session is interactive, if the agent reports it in the environment. */
  readonly attended?: (facts: HookFacts) => boolean | null;
  /** Its hooks run in a daemon of the user, whose process, terminal and environment are those of the session that started it. */
  readonly runsElsewhere?: boolean;
  /** Fields that its transcript adds to its payloads; absent: the transcript is not read. */
  readonly transcript?: TranscriptReading;
  /** Where its sessions can be seen without a hook; absent: nowhere. */
  readonly witness?: Witness;
  /** What the other rooms need to know about it. */
  readonly traits: AgentTraits;
  /** Where and for which events our hook is registered, one entry per way in which the agent reports events. */
  readonly registrations: readonly Registration[];
  /** How to check whether the hooks work; null for a pseudo-agent. */
  readonly trial: Trial | null;
  /** Events that this agent never reports, regardless of the registration. */
  readonly silentAbout: readonly Kind[];
  /** Kinds among them that hookbell finds in the transcript, or when the agent is at its prompt again. */
  readonly noticed?: readonly Kind[];
}

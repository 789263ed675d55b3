import type { Asked } from '../../core/asked.ts';
import type { HookFacts } from '../../core/facts.ts';
import type { DialectName, Kind } from '../../core/hook-event.ts';
import type { Registration, Trial } from '../../core/registration.ts';
import type { Payload } from './payload.ts';
import type { TranscriptReading } from './transcript-lines.ts';

/** What an event means in hookbell's own words. */
export interface Meaning {
  readonly kind: Kind;
  /** The notable text, or null where a default text is to be shown. */
  readonly text: string | null;
  /** What a person is to decide, where the payload says it. */
  readonly asked?: Asked | null;
  /** Why a session ended, or which failure it was. */
  readonly reason?: string | null;
  /** A title of the session that is not among the fields of the payload. */
  readonly title?: string;
  /** The turn pauses while background work goes on. */
  readonly backgroundWork?: boolean;
  /** What a question, or the tool call that answers it, is about where its text does not say: any JSON value. */
  readonly about?: unknown;
}

export type Reading = (payload: Payload) => Meaning;

/** The default export of a file in `src/agents/`: how one agent speaks. */
export interface Dialect {
  readonly agent: DialectName;
  /** How to read each event, by its name in lower case; an event that is not listed is `activity`. */
  readonly events: Readonly<Record<string, Reading>>;
  /**
   * What, within its session, makes an event the only one of its kind, for ever: its name and the agent's own ids.
   * Null where there are none: then only the same bytes within a short time are the same event.
   */
  readonly identity?: (payload: Payload, meaning: Meaning) => readonly string[] | null;
  /**
   * For an agent that has no such ids, and may tell of one event twice in different bytes: what stays the same. It counts for the
   * same short time.
   */
  readonly likeness?: (payload: Payload, meaning: Meaning) => readonly string[];
  /** Whether a person sits at the session, where the agent says so in the environment. */
  readonly attended?: (facts: HookFacts) => boolean | null;
  /**
   * Its hooks run in a daemon of the user, whose process, terminal and environment are those of the session that started it
   * first: they say nothing of this one.
   */
  readonly runsElsewhere?: boolean;
  /** What its payloads leave out and its transcript has; absent: nothing is looked up there. */
  readonly transcript?: TranscriptReading;
  /** Where and for which events our hook is registered, one for each way in which the agent tells of events. */
  readonly registrations: readonly Registration[];
  /** How to find out whether the hooks work; null for an agent that is none. */
  readonly trial: Trial | null;
  /** What this agent never tells of, whatever is registered. */
  readonly silentAbout: readonly Kind[];
}

import type { Asked } from '../../core/asked.ts';
import type { CallerWishes } from '../../core/hand-made.ts';
import type { Kind, WakeUp } from '../../core/hook-event.ts';
import type { Payload } from './payload.ts';

/** An event in hookbell's terms. */
export interface Meaning {
  readonly kind: Kind;
  /** The notable text; null: show a default text. */
  readonly text: string | null;
  /** What a person has to decide, if the payload contains it. */
  readonly asked?: Asked | null;
  /** Reason for the end of a session, or the type of failure. */
  readonly reason?: string | null;
  /** A message about something that failed. */
  readonly failed?: boolean;
  readonly wishes?: CallerWishes | undefined;
  /** Further words about a failure than the text. */
  readonly failure?: string;
  /** A title of the session that is not among the fields of the payload. */
  readonly title?: string;
  /** The turn pauses while background work goes on. */
  readonly backgroundWork?: boolean;
  /** The turn pauses until the session wakes itself; never empty. */
  readonly wakes?: readonly WakeUp[];
  /** A prompt with which the session woke itself. */
  readonly wokeItself?: boolean;
  /** A prompt that reports a finished background task: the turn that started the task goes on. */
  readonly reportsTask?: boolean;
  /** The type of the notification is not known. */
  readonly isUnknown?: boolean;
  /** Asked by another agent of the session than its main conversation, although the payload names none. */
  readonly isAside?: boolean;
  /** The tool, or the kind of subagent that ended, if it is not among the fields of the payload. */
  readonly tool?: string;
  /** Subject of a question, or of the tool call that answers it, if the text omits it: any JSON value. */
  readonly about?: unknown;
}

export type Reading = (payload: Payload, vocabulary: Vocabulary) => Meaning;

/** What one word of an agent means here: an event, or a type of notification. */
export interface Word {
  /** What it usually means; a `reading` may say otherwise. `activity` is silent. */
  readonly kind: Kind;
  /** When the agent says it, for the documentation; for a silent type of notification, why no one needs to hear it. */
  readonly when: string;
  /** How to read the payload; absent: always `kind`. */
  readonly reading?: Reading;
}

export function means(kind: Kind, when: string, reading?: Reading): Word {
  return { kind, when, ...(reading !== undefined && { reading }) };
}

type Words = Readonly<Record<string, Word>>;

/** Where the words of an agent were read. */
export interface VocabularySource {
  /** The package whose program was read; null: no public program. */
  readonly npm: string | null;
  /** Its version, or the date of the document. */
  readonly version: string;
  /** Where in the program, or the address of the document. */
  readonly place: string;
}

/** Every event and type of notification of one agent, each decided upon. This is what decoding uses, not a copy of it. */
export interface Vocabulary {
  readonly source: VocabularySource;
  /** By the agent's name; case does not matter. */
  readonly events: Words;
  /** Types of its `Notification` events, or what is the same to it, by name. */
  readonly notifications: Words;
  /** Whose words it may use as well: agents copy each other's hooks, and newer versions more of them. */
  readonly also: readonly Vocabulary[];
}

/** The word for an event; null: not known, so it is activity. */
export function eventWord(vocabulary: Vocabulary, name: string): Word | null {
  return found(vocabulary, (one) => lowerCaseEvents(one).get(name.toLowerCase()));
}

/** The word for a type of notification; null: not known, so it is taken for a wait. */
export function notificationWord(vocabulary: Vocabulary, type: string): Word | null {
  return found(vocabulary, ({ notifications }) =>
    // A type may be called "constructor".
    Object.hasOwn(notifications, type) ? notifications[type] : undefined,
  );
}

function found(vocabulary: Vocabulary, look: (one: Vocabulary) => Word | undefined): Word | null {
  return look(vocabulary) ?? vocabulary.also.map(look).find((word) => word !== undefined) ?? null;
}

const indexes = new WeakMap<Vocabulary, ReadonlyMap<string, Word>>();

function lowerCaseEvents(vocabulary: Vocabulary): ReadonlyMap<string, Word> {
  const known = indexes.get(vocabulary);
  if (known !== undefined) return known;
  const index = new Map(
    Object.entries(vocabulary.events).map(([name, word]) => [name.toLowerCase(), word]),
  );
  indexes.set(vocabulary, index);
  return index;
}

/** Some words of another vocabulary, which mean the same. @param names with white space between them */
export function wordsFrom(words: Words, names: string): Words {
  return Object.fromEntries(
    namesIn(names).map((name) => {
      const word = words[name];
      if (word === undefined) throw new TypeError(`No word "${name}" in that vocabulary`);
      return [name, word];
    }),
  );
}

/** The same word under several names. @param names with white space between them */
export function eachOf(names: string, word: Word): Words {
  return Object.fromEntries(namesIn(names).map((name) => [name, word]));
}

function namesIn(names: string): readonly string[] {
  return names.trim().split(/\s+/);
}

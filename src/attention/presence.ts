/*
 * Where the person is, and how to bring a session's terminal to the front. What cannot be found out is unknown, which
 * notifies. Whether presence changes a notification never enters.
 */
import type { PresenceOf } from '../core/policy.ts';
import type { Session } from '../core/session.ts';

export type PresenceWatch = ReturnType<typeof createPresence>;

/** Combines the sources. A failed source counts as one without a result: a person who may be away is notified. */
export function createPresence({
  machine,
  terminals,
}: {
  readonly machine: readonly MachineSource[];
  readonly terminals: readonly TerminalSource[];
}) {
  const signsNow = () => Promise.all(machine.map(async (source) => orElse(null, source.look())));
  return {
    /** Whether a person is at this machine; null: unknown. */
    isPresent: async () => isPresentBy(await signsNow()),
    async look(sessions: readonly Session[]): Promise<PresenceOf> {
      const [signs, watched] = await Promise.all([
        signsNow(),
        Promise.all(
          terminals.map(async (source) => ({
            source,
            keys: await orElse([], source.watched(sessions)),
          })),
        ),
      ]);
      const isPresent = isPresentBy(signs);
      // A locked screen outweighs the focus that a terminal reports.
      const believed = watched.filter(({ source }) =>
        source.seesFocusAlone ? isPresent === true : isPresent !== false,
      );
      const keys = new Set(believed.flatMap((seen) => seen.keys));
      const asked = new Set(sessions.map(({ key }) => key));
      return (key) =>
        asked.has(key) ? { isPresent, watching: keys.has(key) ? true : null } : null;
    },
    /** The sources that work here, for people. */
    check: (): Promise<readonly PresenceSourceView[]> =>
      Promise.all([
        ...machine.map(async (source) => {
          const sign = await orElse(null, source.look());
          return viewOf(source.name, sign?.detail ?? null);
        }),
        ...terminals.map(async (source) => viewOf(source.name, await orElse(null, source.check()))),
      ]),
  };
}

/** One sign of absence outweighs the others: a locked screen may have had input a moment ago. */
function isPresentBy(signs: readonly (MachineSign | null)[]): boolean | null {
  if (signs.some((sign) => sign?.isPresent === false)) return false;
  return signs.some((sign) => sign?.isPresent === true) ? true : null;
}

function viewOf(source: string, detail: string | null): PresenceSourceView {
  return { source, works: detail !== null, detail };
}

async function orElse<Result>(instead: Result, answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch {
    return instead;
  }
}

export type { Ask } from '../platform/ask-program.ts';

interface MachineSign {
  /** Null if the source cannot tell. */
  readonly isPresent: boolean | null;
  readonly detail: string;
}

/** Detects whether a person is at the machine. */
export interface MachineSource {
  readonly name: string;
  /** Null if it cannot work. */
  look(): Promise<MachineSign | null>;
}

/** Detects whether a person looks at the terminal of a session. */
export interface TerminalSource {
  readonly name: string;
  /** The focus stays when the person leaves: then it counts only while a person is detected here. */
  readonly seesFocusAlone: boolean;
  /** The keys of the sessions whose terminal is certainly being looked at. */
  watched(sessions: readonly Session[]): Promise<readonly string[]>;
  /** For people: the means it uses. Null if it cannot work. */
  check(): Promise<string | null>;
}

export interface PresenceSourceView {
  readonly source: string;
  /** False if it cannot work: then nothing is suppressed because of it. */
  readonly works: boolean;
  /** Its current result or the means it uses; null if it does not work. */
  readonly detail: string | null;
}

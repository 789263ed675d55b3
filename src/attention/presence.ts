import type { PresenceOf } from '../core/policy.ts';
import type { Session } from '../core/session.ts';

export interface PresenceSources {
  readonly machine: readonly MachineSource[];
  readonly terminals: readonly TerminalSource[];
}

export interface PresenceWatch {
  look(sessions: readonly Session[]): Promise<PresenceOf>;
  /** Which sources work here, for people. */
  check(): Promise<readonly PresenceSourceView[]>;
}

/** Puts together what the sources see. One that fails is as one that sees nothing: whoever may be away is rung. */
export function createPresence({ machine, terminals }: PresenceSources): PresenceWatch {
  return {
    async look(sessions) {
      const [signs, watched] = await Promise.all([
        Promise.all(machine.map(async (source) => orElse(null, source.look()))),
        Promise.all(
          terminals.map(async (source) => ({
            source,
            keys: await orElse([], source.watched(sessions)),
          })),
        ),
      ]);
      const here = hereBy(signs);
      // Nobody looks at a terminal on a locked screen, whatever the terminal thinks.
      const believed = watched.filter(({ source }) =>
        source.seesFocusAlone ? here === true : here !== false,
      );
      const keys = new Set(believed.flatMap((seen) => seen.keys));
      const asked = new Set(sessions.map(({ key }) => key));
      return (key) => (asked.has(key) ? { here, watching: keys.has(key) ? true : null } : null);
    },
    check: () =>
      Promise.all([
        ...machine.map(async (source) => {
          const sign = await orElse(null, source.look());
          return viewOf(source.name, sign?.detail ?? null);
        }),
        ...terminals.map(async (source) => viewOf(source.name, await orElse(null, source.check()))),
      ]),
  };
}

/** One sign of absence outweighs the others: a locked screen may have been typed at a moment ago. */
function hereBy(signs: readonly (MachineSign | null)[]): boolean | null {
  if (signs.some((sign) => sign?.here === false)) return false;
  return signs.some((sign) => sign?.here === true) ? true : null;
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

/** What a source saw of the machine. */
interface MachineSign {
  /** Null where it saw nothing that tells. */
  readonly here: boolean | null;
  /** For people. */
  readonly detail: string;
}

/** Sees whether somebody is at the machine. */
export interface MachineSource {
  readonly name: string;
  /** Null where it cannot work. */
  look(): Promise<MachineSign | null>;
}

/** Sees whether somebody looks at the terminal of a session. */
export interface TerminalSource {
  readonly name: string;
  /** True where the focus is all it sees, which stays when the person leaves: it counts only while somebody is seen here. */
  readonly seesFocusAlone: boolean;
  /** The keys of the sessions whose terminal is certainly looked at. */
  watched(sessions: readonly Session[]): Promise<readonly string[]>;
  /** For people: what it works with. Null where it cannot work. */
  check(): Promise<string | null>;
}

export interface PresenceSourceView {
  readonly source: string;
  /** False where it cannot work: then it knows nothing, and nothing is kept back because of it. */
  readonly works: boolean;
  /** What it sees now or works with; null where it does not work. */
  readonly detail: string | null;
}

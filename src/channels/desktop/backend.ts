import type { Reaction } from '../../core/channel.ts';
import type { TerminalLocation } from '../../core/notification.ts';
import { childEnvironment, findProgram, searchPath } from '../../platform/find-program.ts';
import type { ProgramResult } from '../../platform/run-program.ts';

/** How loud a pop-up is; the words of the freedesktop notification specification. */
export const urgencies = ['low', 'normal', 'critical'] as const;
export type Urgency = (typeof urgencies)[number];

/** What a backend shows. Texts are clean and cut but not escaped: that differs from backend to backend. */
export interface PopUp {
  /** What a click on it says. */
  readonly reaction: Reaction;
  /** Where its session can be answered, once; null: nowhere. A secret: whoever has it can answer. */
  readonly replyUrl: string | null;
  /** One line, never empty. */
  readonly title: string;
  readonly body: string;
  readonly urgency: Urgency;
  /** Says what it is about, as "#rrggbb", where the desktop shows colours. */
  readonly colour: string;
  /** After so long it closes by itself, ms; 0: never; null: as the desktop likes it. */
  readonly expireMs: number | null;
  /** True: a desktop need not keep it once it has closed. */
  readonly passing: boolean;
  /** A sound's name, "default", or null for silence. */
  readonly sound: string | null;
  /** Names the group in letters and digits only: nothing of an event goes into an option. */
  readonly key: string;
  /** What leads to the terminal of the session. */
  readonly whereabouts: TerminalLocation;
}

/** All ways to show a pop-up; which of them make up the chain depends on the platform. */
export const backendNames = [
  'dbus',
  'terminal',
  'alerter',
  'terminal-notifier',
  'osascript',
  'powershell',
  'node-notifier',
] as const;
export type BackendName = (typeof backendNames)[number];

/** One look at the chain. */
export interface Look {
  readonly signal: AbortSignal;
}

/** Whether a backend can be used; `detail` is for people, and says why not where it cannot. */
export interface Displayed {
  readonly usable: boolean;
  readonly detail: string;
}

export type Shown =
  /** `id` is what `withdraw` needs, or null where there is nothing to take back. */
  | {
      readonly type: 'shown';
      readonly id: string | null;
      /** Who alone knows the id, where that can be told. */
      readonly server?: string;
    }
  /** This backend has no way to show this pop-up, which says nothing about the next one. */
  | { readonly type: 'unfit'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string; readonly maybeShown: boolean };

/**
 * How a pop-up with a `replyUrl` is answered.
 *
 * - `in it`: by typing into it
 * - `by a button`: it opens the page
 * - `not at all`
 */
export type Answering = 'in it' | 'by a button' | 'not at all';

/** One way to show a pop-up. */
export interface Backend {
  readonly name: BackendName;
  readonly replaces: boolean;
  /** Looks whether the backend would work, without showing anything, and keeps what `show` needs to know. */
  probe(look: Look): Promise<Displayed>;
  /** Called only after a probe found it usable. */
  show(popUp: PopUp, signal: AbortSignal): Promise<Shown>;
  /** Whether a click on what it shows is told, as far as the latest probe knows. */
  reacts?(): boolean;
  /** Hears again of what it has shown before the daemon was started, if the id still means that. */
  hearAgain?(popUp: PopUp, shown: { readonly id: string; readonly server: string }): Promise<void>;
  /** How the session can be answered from what it shows, as far as the latest probe knows. */
  answers?(): Answering;
  /**
   * Closes what was shown; answers null, or why it could not.
   *
   * @param server who gave the id, where that was told: if another one is there now, it is gone, and the id is somebody else's
   */
  withdraw?(id: string, signal: AbortSignal, server?: string): Promise<string | null>;
  /** Ends what waits for pop-ups to close. */
  close?(): Promise<void>;
}

/** How the backends look up and run their programs. */
export interface Programs {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long one that shows something may take for it, ms. */
  readonly runMs: number;
  /** How long one that only answers a question may take, ms. */
  readonly askMs: number;
  /** The absolute path of a program, or null. */
  find(name: string): Promise<string | null>;
  /** Runs one that shows or closes something. */
  run(program: string, arguments_: readonly string[], options: RunOptions): Promise<ProgramResult>;
  /** Runs one that only answers a question: given up sooner. */
  ask(program: string, arguments_: readonly string[], options: RunOptions): Promise<ProgramResult>;
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly input?: string;
  /** Instead of the usual deadline, ms. */
  readonly timeoutMs?: number;
}

export interface ProgramTimes {
  readonly runMs: number;
  readonly askMs: number;
}

/** Every program gets the small environment and a deadline. */
export function desktopPrograms(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  times: ProgramTimes = { runMs: 5_000, askMs: 2_000 },
): Programs {
  function runWithin(timeoutMs: number): Programs['run'] {
    return async (program, arguments_, options) => {
      // Imported here, since execa is a quarter of all there is to load when the daemon starts.
      const { runProgram } = await import('../../platform/run-program.ts');
      return runProgram({
        program,
        arguments: arguments_,
        // Made anew each time: the session bus may appear after the daemon.
        env: childEnvironment(platform, env),
        timeoutMs,
        ...options,
      });
    };
  }
  return {
    platform,
    env,
    ...times,
    find: (name) => findProgram(name, searchPath(platform, env['PATH'])),
    run: runWithin(times.runMs),
    ask: runWithin(times.askMs),
  };
}

/** What the end of a program means for its pop-up. Output is never quoted: it may hold the message. */
export function shownBy(result: ProgramResult, id: string | null): Shown {
  if (result.ok) return { type: 'shown', id };
  const maybeShown = result.timedOut || (result.aborted && result.started);
  return { type: 'failed', reason: result.reason, maybeShown };
}

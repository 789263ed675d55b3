import type { ChannelDependencies, Reaction } from '../../core/channel.ts';
import type { TerminalLocation } from '../../core/notification.ts';
import { childEnvironment, findProgram, searchPath } from '../../platform/find-program.ts';
import type { ProgramResult } from '../../platform/run-program.ts';
import type { PopUpDecision } from './decision.ts';

/** The words of the freedesktop notification specification. */
export const urgencies = ['low', 'normal', 'critical'] as const;
export type Urgency = (typeof urgencies)[number];

/** The content of a pop-up. Texts are clean and cut but not escaped: that differs between backends. */
export interface PopUp {
  readonly reaction: Reaction;
  /** Where its session can be answered, once; null: not possible. A secret: the holder can answer. */
  readonly replyUrl: string | null;
  readonly decision: PopUpDecision | null;
  /** One line, never empty. */
  readonly title: string;
  readonly body: string;
  readonly urgency: Urgency;
  /** The colour of its subject, as "#rrggbb", for desktops that show colours. */
  readonly colour: string;
  /** Closes automatically after this time, ms; 0: never; null: the desktop's default. */
  readonly expireMs: number | null;
  /** True: a desktop need not keep it once it has closed. */
  readonly passing: boolean;
  /** A sound's name, "default", or null for silence. */
  readonly sound: string | null;
  /** Sent although the desktop would not show it now. */
  readonly evenIfHidden: boolean;
  /** Names the group in letters and digits only: nothing of an event goes into an option. */
  readonly key: string;
  readonly location: TerminalLocation;
}

/** All ways to show a pop-up; the chain depends on the platform. */
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

/** Whether a backend can be used; `detail` is for people, and gives the reason if it cannot. */
export interface ProbeResult {
  readonly usable: boolean;
  readonly detail: string;
}

export type ShowResult =
  /** `id` is what `withdraw` needs, or null if nothing can be withdrawn. */
  | {
      readonly type: 'shown';
      readonly id: string | null;
      readonly server?: string;
    }
  /** The desktop would not show it now, such as in "do not disturb": nothing was sent. `reason` is for people. */
  | { readonly type: 'hidden'; readonly reason: string }
  /** This backend cannot show this pop-up; the next one may work. */
  | { readonly type: 'unfit'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string; readonly maybeShown: boolean };

/** How to answer a pop-up with a `replyUrl`: by typing into it, or by a button that opens the page. */
export type Answering = 'inline' | 'button' | 'none';

export interface Backend {
  readonly name: BackendName;
  readonly replaces: boolean;
  /** Checks whether the backend would work, without showing anything, and caches the data for `show`. */
  probe(signal: AbortSignal): Promise<ProbeResult>;
  /** Called only after a probe found it usable. */
  show(popUp: PopUp, signal: AbortSignal): Promise<ShowResult>;
  /** Whether clicks on its pop-ups are reported, as of the latest probe. */
  reacts?(): boolean;
  /** Listens again for a pop-up shown before the daemon started, if the id is still valid. */
  resubscribe?(popUp: PopUp, shown: { id: string; server: string }): Promise<void>;
  /** Takes a click that another program of this machine reports; returns false for one that it does not know. */
  takeClick?(link: string): boolean;
  /** How the session can be answered from its pop-ups, as of the latest probe. */
  answers?(): Answering;
  /** Returns null, or why it could not. @param server that issued the id, if known: under another one the pop-up is gone */
  withdraw?(id: string, signal: AbortSignal, server?: string): Promise<string | null>;
  close?(): Promise<void>;
}

export type BackendDependencies = Pick<ChannelDependencies, 'onReaction' | 'now' | 'onWorksAgain'>;

export interface Programs {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Timeout of programs that show something, ms. */
  readonly runMs: number;
  /** Timeout of programs that only query, ms. */
  readonly askMs: number;
  find(name: string): Promise<string | null>;
  run(program: string, arguments_: readonly string[], options: RunOptions): Promise<ProgramResult>;
  /** Runs a program that only queries, with a shorter timeout. */
  ask(program: string, arguments_: readonly string[], options: RunOptions): Promise<ProgramResult>;
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly input?: string;
  /** Replaces the usual deadline, ms. */
  readonly timeoutMs?: number;
}

/** Every program gets the small environment and a deadline. */
export function desktopPrograms(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  times: Pick<Programs, 'runMs' | 'askMs'> = { runMs: 5_000, askMs: 2_000 },
): Programs {
  function runWithin(timeoutMs: number): Programs['run'] {
    return async (program, arguments_, options) => {
      // Imported here, because execa is a quarter of all code loaded when the daemon starts.
      const { runProgram } = await import('../../platform/run-program.ts');
      return runProgram({
        program,
        arguments: arguments_,
        // Created anew each time: the session bus may appear after the daemon.
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

/** The result of a program for its pop-up. Output is never quoted: it may hold the message. */
export function shownBy(result: ProgramResult, id: string | null): ShowResult {
  if (result.ok) return { type: 'shown', id };
  const maybeShown = result.timedOut || (result.aborted && result.started);
  return { type: 'failed', reason: result.reason, maybeShown };
}

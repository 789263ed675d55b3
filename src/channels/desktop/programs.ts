import { childEnvironment } from '../support/child-environment.ts';
import { findProgram } from '../support/find-program.ts';
import type { ProgramResult } from '../support/run-program.ts';
import { searchPath } from '../support/search-path.ts';
import type { Shown } from './rung.ts';

/** How the rungs look up and run their programs. */
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

export interface RunOptions {
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
      const { runProgram } = await import('../support/run-program.ts');
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

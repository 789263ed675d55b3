import { childEnvironment, findProgram, searchPath } from './find-program.ts';
import { whyForeignSocket } from './own-socket.ts';

/** A program that takes longer to answer is not waited for, ms. */
const PATIENCE_MS = 300;

export interface AskProgramOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly patienceMs?: number;
}

/** Asks programs of this machine. */
export function askProgram({ env, platform, patienceMs = PATIENCE_MS }: AskProgramOptions): Ask {
  return async (name, arguments_) => {
    if ((await whyForeignSocket({ program: name, arguments: arguments_ })) !== null) return null;
    const program = await findProgram(name, searchPath(platform, env['PATH']));
    if (program === null) return null;
    // Most configurations never ask, and execa takes a while to load.
    const { runProgram } = await import('./run-program.ts');
    const { ok, stdout } = await runProgram({
      program,
      arguments: arguments_,
      env: childEnvironment(platform, env),
      timeoutMs: patienceMs,
    });
    return ok ? stdout : null;
  };
}

/** Runs a program by its name; answers what it printed, or null on any trouble, soon in either case. */
export type Ask = (program: string, arguments_: readonly string[]) => Promise<string | null>;

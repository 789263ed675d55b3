import { childEnvironment, findProgram, searchPath } from './find-program.ts';
import { whyForeignSocket } from './own-socket.ts';

/** Timeout for a program's output, ms. */
const PATIENCE_MS = 300;

export interface AskProgramOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly patienceMs?: number;
}

/** Queries programs of this machine. */
export function askProgram({ env, platform, patienceMs = PATIENCE_MS }: AskProgramOptions): Ask {
  return async (name, arguments_, ownPatienceMs = patienceMs) => {
    if ((await whyForeignSocket({ program: name, arguments: arguments_ })) !== null) return null;
    const program = await findProgram(name, searchPath(platform, env['PATH']));
    if (program === null) return null;
    // Most configurations never use it, and execa takes a while to load.
    const { runProgram } = await import('./run-program.ts');
    const { ok, stdout } = await runProgram({
      program,
      arguments: arguments_,
      env: childEnvironment(platform, env),
      timeoutMs: ownPatienceMs,
    });
    return ok ? stdout : null;
  };
}

/** Returns the output of a program, or null on any error, soon in either case. */
export type Ask = (
  program: string,
  arguments_: readonly string[],
  patienceMs?: number,
) => Promise<string | null>;

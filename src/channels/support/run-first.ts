import type { ChannelDependencies } from '../../core/channel.ts';
import {
  childEnvironment,
  findProgram,
  resolvePath,
  searchPath,
} from '../../platform/find-program.ts';

/** A program that may be missing, and how it is called. */
export interface ProgramWay {
  /** Its name, or an absolute path. */
  readonly program: string;
  readonly words: readonly string[];
  readonly input?: string;
  /** What it writes to standard error when it failed, for a program that exits with 0 then. */
  readonly failure?: RegExp;
}

/** For programs whose only deadline is the signal of an attempt, so that the configured one counts; timers accept no more. */
export const NO_DEADLINE_MS = 2 ** 31 - 1;

/** The path of a program given by its name on PATH, or by a path that starts at the configuration file; null: none. */
export function findGiven(
  given: string,
  dependencies: Pick<ChannelDependencies, 'env' | 'baseDir'>,
): Promise<string | null> {
  return /[/\\]/.test(given)
    ? findProgram(resolvePath(given, dependencies))
    : findProgram(given, dependencies.env['PATH']);
}

type Machine = Pick<ChannelDependencies, 'platform' | 'env'>;

/** The path of the first that is installed; null: none. */
export async function firstInstalled(
  ways: readonly Pick<ProgramWay, 'program'>[],
  { platform, env }: Machine,
): Promise<string | null> {
  for (const { program } of ways) {
    const found = await findProgram(program, searchPath(platform, env['PATH']));
    if (found !== null) return found;
  }
  return null;
}

/** Runs them in turn until one succeeds, or was ended when it may have done its work. Returns why none succeeded, or null. */
export async function runFirst(
  ways: readonly ProgramWay[],
  machine: Machine,
  bounds: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<{ readonly reason: string; readonly maybeDone: boolean } | null> {
  const { runProgram } = await import('../../platform/run-program.ts');
  const env = childEnvironment(machine.platform, machine.env);
  let reason = `${ways.map((way) => way.program).join(', ')}: none of these was found`;
  for (const { words, failure, program: name, ...rest } of ways) {
    const program = await firstInstalled([{ program: name }], machine);
    if (program === null) continue;
    const ran = await runProgram({ ...rest, ...bounds, program, arguments: words, env });
    if (ran.ok && failure?.test(ran.stderr) !== true) return null;
    reason = `"${name}" ${ran.ok ? 'reports an error' : ran.reason}`;
    if (ran.started && ran.code === null) return { reason, maybeDone: true };
  }
  return { reason, maybeDone: false };
}

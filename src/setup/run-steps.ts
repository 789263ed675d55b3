import { execa } from 'execa';

import { windowsFolder, windowsProgram } from '../platform/find-program.ts';

export interface StepResult {
  readonly ok: boolean;
  /** First line of its standard error, for people; may be empty. */
  readonly message: string;
}

/** Runs a system program with a deadline and returns whether it succeeded; a missing one is a failure. */
export type RunStep = (argv: readonly string[]) => Promise<StepResult>;

const OUTPUT_GRACE_MS = 300;

export const runStep: RunStep = async ([name = '', ...words]) => {
  const isWindows = process.platform === 'win32';
  const program = isWindows ? windowsProgram(name, windowsFolder(process.env)) : name;
  // Where cron, `su` or ssh has left it out, the manager of this user's services would not be found.
  const runtime = process.env['XDG_RUNTIME_DIR'] || `/run/user/${process.getuid?.() ?? ''}`;
  const child = execa(program, words, {
    reject: false,
    env: { XDG_RUNTIME_DIR: runtime },
    stdin: 'ignore',
    stdout: 'ignore',
    timeout: 15_000,
    maxBuffer: 64 * 1024,
  });
  // What it has started may keep its output open.
  child.once('exit', () => setTimeout(() => child.stderr?.destroy(), OUTPUT_GRACE_MS).unref());
  const { failed, exitCode, stderr } = await child;
  return {
    ok: !failed || exitCode === 0,
    message: (stderr ?? '').split('\n')[0]?.slice(0, 200) ?? '',
  };
};

export type StepState = 'done' | 'unchanged' | 'skipped' | 'failed';

/** One step that the installation did (or, with `dryRun`, would do). */
export interface InstallStep {
  readonly name:
    | 'program'
    | 'command'
    | 'desktop'
    | 'manual'
    | 'links'
    | 'config'
    | 'hooks'
    | 'service';
  readonly state: StepState;
  /** For people: which file, and the reason if it is not obvious. */
  readonly text: string;
  /** What the user has to do now. */
  readonly advice?: string;
}

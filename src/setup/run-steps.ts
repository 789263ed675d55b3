import { execa } from 'execa';

export interface StepResult {
  readonly ok: boolean;
  /** First line of what it said on standard error, for people; empty when it said nothing. */
  readonly said: string;
}

/** Runs a program of the system with a deadline and answers whether it succeeded; a missing one is a failure. */
export type RunStep = (argv: readonly string[]) => Promise<StepResult>;

export const runStep: RunStep = async ([program = '', ...words]) => {
  const { failed, stderr } = await execa(program, words, {
    reject: false,
    stdin: 'ignore',
    stdout: 'ignore',
    timeout: 15_000,
    maxBuffer: 64 * 1024,
  });
  return { ok: !failed, said: (stderr ?? '').split('\n')[0]?.slice(0, 200) ?? '' };
};

export type StepState = 'done' | 'unchanged' | 'skipped' | 'failed';

/** One thing the installation did (or, with `dryRun`, would do). */
export interface InstallStep {
  readonly name: 'program' | 'command' | 'desktop' | 'config' | 'hooks' | 'service';
  readonly state: StepState;
  /** For people: which file, and why where it is not plain. */
  readonly text: string;
  /** What the person has to do now. */
  readonly advice?: string;
}

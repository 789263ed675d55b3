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

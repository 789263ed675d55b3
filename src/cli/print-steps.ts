import { displayLine } from '../text/sanitize.ts';
import type { InstallStep, StepState } from '../setup/run-steps.ts';
import type { CommandContext } from './context.ts';

const marks: Readonly<Record<StepState, string>> = {
  done: '+',
  unchanged: '=',
  skipped: '-',
  failed: '!',
};

/** Prints what an installation did, or would do. */
export function printSteps(
  context: CommandContext,
  steps: readonly InstallStep[],
  dryRun: boolean,
): void {
  if (dryRun) context.output.line('This is what would be done:');
  for (const { state, name, text, advice } of steps) {
    printStep(context, state, name, displayLine(text));
    if (advice !== undefined) printAdvice(context, displayLine(advice));
  }
}

/** Prints one step and its outcome. */
export function printStep(
  { output }: CommandContext,
  state: StepState,
  name: string,
  text: string,
): void {
  const colour = state === 'failed' ? 'red' : state === 'done' ? 'green' : 'dim';
  output.line(`${output.paint(colour, marks[state])} ${name.padEnd(10)} ${text}`);
}

/** Prints advice for the step above. */
export function printAdvice({ output }: CommandContext, text: string): void {
  output.line(`             ${text}`);
}

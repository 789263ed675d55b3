import type { Step } from './step.ts';

/** Runs a constant AppleScript; the values reach it as its arguments, never as a part of its source. */
export function osascriptStep(script: string, ...values: readonly string[]): Step {
  const lines = script.trim().split('\n');
  return {
    program: 'osascript',
    arguments: [...lines.flatMap((line) => ['-e', line.trim()]), '--', ...values],
  };
}

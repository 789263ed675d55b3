import { execFileSync } from 'node:child_process';

import { shellTexts } from '../src/cli/callers/shell-texts.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { median } from './support/statistics.ts';

const PROMPTS = 1_000;
const ROUNDS = 5;

/** What `hookbell shell-init` adds between two prompts of a short command: it reads a number and compares it. */
export const prompt: Benchmark = {
  name: 'prompt',
  run() {
    const parts = { hook: '/bin/true', program: '/bin/true', seconds: 30, ignore: 'vi less' };
    const loop = `for ((n = 0; n < ${PROMPTS}; n++)); do`;
    const scripts = {
      bash: `${shellTexts.bash(parts)}\n${loop} : "\${PS0@P}"; eval "$PROMPT_COMMAND"; done`,
      zsh: `${shellTexts.zsh(parts)}\n${loop} __hookbell_start x; __hookbell_done; done`,
    };
    const starts = Array.from({ length: 20 }, () => nodeStartMs());
    const figures = Object.entries(scripts).map(([shell, script]) => {
      const value = Math.max(0, msOf(shell, script) - msOf(shell, `${loop} :; done`)) / PROMPTS;
      return {
        name: `shell-init ${shell}, each prompt`,
        value,
        unit: 'ms',
        bound: 2,
        better: 'lower' as const,
        slowness: slownessOf(starts),
        note: `median of ${ROUNDS} times ${PROMPTS} prompts`,
      };
    });
    return Promise.resolve(figures);
  },
};

function msOf(shell: string, script: string): number {
  const words = shell === 'bash' ? ['--norc', '-ic', script] : ['-f', '-ic', script];
  return median(
    Array.from({ length: ROUNDS }, () => {
      const startedAt = performance.now();
      execFileSync(shell, words, { stdio: 'ignore' });
      return performance.now() - startedAt;
    }),
  );
}

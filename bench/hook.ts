import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { writePidFile } from '../src/daemon/lock.ts';
import type { Benchmark, Figure } from './support/benchmark.ts';
import { ratio } from './support/ratio.ts';

const program = fileURLToPath(new URL('../../hooks/hookbell-hook', import.meta.url));

/** The hook beside the least that any hook must do: start a shell and read standard input. */
export const hook: Benchmark = {
  name: 'hook',
  async run() {
    const workingDirectory = process.cwd();
    const state = mkdtempSync(join(tmpdir(), 'hookbell-bench-'));
    try {
      mkdirSync(join(state, 'spool'), { mode: 0o700 });
      // To the hook this process is the daemon, so it starts none.
      writePidFile(join(state, 'daemon.pid'));
      process.chdir(state);
      return [await smallPayload(state), await largePayload(state)];
    } finally {
      process.chdir(workingDirectory);
      rmSync(state, { recursive: true });
    }
  },
};

function smallPayload(state: string): Promise<Figure> {
  const payload = JSON.stringify({
    session_id: '3f6c2a9e-51b4-4c3e-8a07-9d2e6b1f4c80',
    transcript_path: '/home/dev/.claude/projects/shop/3f6c2a9e.jsonl',
    cwd: '/home/dev/shop',
    hook_event_name: 'Stop',
    stop_hook_active: false,
    last_assistant_message: 'All tests pass; the parser now keeps the order of the keys.',
  });
  return ratio({
    name: 'hook, small payload',
    bound: 1.8,
    than: "sh -c 'cat >/dev/null'",
    rounds: 300,
    ours: () => timeOf([program], { input: payload, state }),
    theirs: () => timeOf(['sh', '-c', 'cat >/dev/null'], { input: payload, state }),
  });
}

function largePayload(state: string): Promise<Figure> {
  const payload = JSON.stringify({ text: 'x'.repeat(5_000_000) });
  return ratio({
    name: 'hook, 5 MB payload',
    bound: 4,
    than: 'cat of it to a file',
    rounds: 15,
    ours: () => timeOf([program], { input: payload, state }),
    theirs: () => timeOf(['sh', '-c', 'cat >"$HOOKBELL_STATE_DIR/$$"'], { input: payload, state }),
  });
}

/** Milliseconds from the start of a program, with its input in a pipe as an agent gives it, to its end. */
function timeOf(
  [command = '', ...args]: readonly string[],
  { input, state }: { readonly input: string; readonly state: string },
): number {
  const env = { ...process.env, HOOKBELL_STATE_DIR: state, CLAUDECODE: '1', TMUX_PANE: '%3' };
  const startedAt = performance.now();
  const { status } = spawnSync(command, args, { env, input });
  if (status !== 0) throw new Error(`"${command}" ended with status ${status}`);
  return performance.now() - startedAt;
}

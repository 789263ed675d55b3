// Runs below Wine, by Node for Windows: does the jobs of the first file, and writes what came of them into the second. A program
// below Wine has no usable pipe to Linux.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Job, Outcome, Run, Storm } from './jobs.ts';

const [, , jobsFile = '', outcomeFile = '', workers = '1'] = process.argv;
process.on('uncaughtException', ({ stack }) => {
  writeFileSync(`${outcomeFile}.error`, String(stack));
  process.exit(1);
});
const jobs: readonly Job[] = JSON.parse(readFileSync(jobsFile, 'utf8'));
const outcomes: Outcome[] = [];
const left = [...jobs.entries()];
await Promise.all(
  Array.from({ length: Number(workers) }, async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [at, job] = next;
      outcomes[at] = 'storm' in job ? await rage(job.storm) : await run(job);
    }
  }),
);
writeFileSync(outcomeFile, JSON.stringify(outcomes));

/** @param console `none` spares each program below Wine a host of its console, a fifth of the whole */
async function run(job: Run, console: 'hidden' | 'none' = 'hidden'): Promise<Outcome> {
  const [program = '', ...words] = job.argv;
  const startedAt = performance.now();
  const said = { stdout: '', stderr: '' };
  const child = spawn(program, words, {
    env: { ...process.env, ...job.env },
    ...(job.cwd !== undefined && { cwd: job.cwd }),
    windowsVerbatimArguments: job.verbatim === true,
    ...(console === 'none' ? { detached: true } : { windowsHide: true }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdout.on('data', (bytes: Buffer) => (said.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (said.stderr += bytes.toString()));
  child.stdin.on('error', () => {});
  if (job.inputFile !== undefined) child.stdin.write(readFileSync(job.inputFile));
  else child.stdin.write(job.input ?? '');
  if (job.staysOpen !== true) child.stdin.end();
  const status = await ending(child, job.patienceMs ?? 280_000);
  return { ...said, status, ms: performance.now() - startedAt };
}

/** The exit code, also of a program whose child still holds its output; null: it did not start or end. */
async function ending(child: ChildProcess, patienceMs: number): Promise<number | null> {
  const patience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  const failed = new Promise<null>((resolve) => child.once('error', () => resolve(null)));
  const ended = once(child, 'exit').then(([code]: unknown[]) =>
    typeof code === 'number' ? code : null,
  );
  const status = await Promise.race([ended, failed]);
  clearTimeout(patience);
  // What it has written last.
  await Promise.race([failed, once(child, 'close'), delay(500)]);
  return status;
}

/** Hands over many events, some at a time, while the daemon is killed again and again. */
async function rage({ argv, env, payloads, pidFile, kills, atOnce }: Storm): Promise<Outcome> {
  const startedAt = performance.now();
  const waiting = [...payloads.entries()];
  const killAfter = new Map(kills);
  let killed = 0;
  let worst = 0;
  // Wine refuses to start some programs of a storm on a busy machine (`spawn UNKNOWN`): such an event was not handed over.
  let refusals = 20;
  const notStarted = async (error: unknown): Promise<null> => {
    refusals -= 1;
    if (refusals < 0) throw error;
    await delay(500);
    return null;
  };
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, input] = next;
      const done = await run({ argv, env, input }, 'none').catch(notStarted);
      if (done === null) {
        waiting.push(next);
        continue;
      }
      const { status } = done;
      if (status !== 0) worst = status ?? -1;
      const pauseMs = killAfter.get(index);
      if (pauseMs === undefined) continue;
      await delay(pauseMs);
      if (endDaemon(pidFile)) killed += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { status: worst, stdout: String(killed), stderr: '', ms: performance.now() - startedAt };
}

function endDaemon(pidFile: string): boolean {
  if (!existsSync(pidFile)) return false;
  try {
    return process.kill(Number.parseInt(readFileSync(pidFile, 'utf8'), 10), 'SIGKILL');
  } catch {
    return false;
  }
}

mkdirSync(dirname(outcomeFile), { recursive: true });

/**
 * The hand-off of `hookbell-hook` for places without a POSIX shell, such as Windows: `node hookbell-hook.cjs [--state DIR]
 * [--agent NAME] [--event NAME] [JSON]`.
 * Same file, same facts, same promise to the agent: no output, always status 0, and an end after 4 s.
 */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { createEnvelope, makeSpool } from './envelope.ts';
import type { Envelope } from './envelope.ts';
import { factLines, parseArguments } from './facts.ts';
import { startDaemon } from './start-daemon.ts';
import { stateDirectory } from './state-directory.ts';
import type { StateDirectory } from './state-directory.ts';

const DEADLINE_MS = 4000;

process.on('uncaughtException', () => process.exit(0));
// Closing the terminal must not truncate an event.
for (const signal of ['SIGHUP', 'SIGINT']) process.on(signal, () => {});
process.umask(0o077);

const call = parseArguments(process.argv.slice(2));
void handOver().finally(() => process.exit(0));

async function handOver(): Promise<void> {
  const state = orNull(() =>
    enter(stateDirectory(call.state, process.env, process.platform, homedir())),
  );
  const envelope = state === null ? null : orNull(() => openEnvelope(state.path));
  // Input is read to its end even if it cannot be stored: some agents treat unread input as a failed hook.
  const isWhole = call.payload === null ? await copyInput(envelope) : true;
  if (call.payload !== null) envelope?.append(Buffer.from(call.payload));
  if (isWhole) envelope?.seal();
  if (state?.mayStart === true) startDaemon(state.path);
}

/**
 * Another user who owns a parent directory could replace this one between a check and its use: so it is entered first,
 * then checked, and all later paths are relative to it. Windows has no such owners.
 *
 * @throws if it is not ours
 */
function enter({ path: directory, mayStart }: StateDirectory): StateDirectory {
  if (process.geteuid === undefined) return { path: directory, mayStart };
  // On a full disk the state directory may exist without a spool; then a daemon may still be started.
  orNull(() => makeSpool(join(directory, 'spool')));
  process.chdir(directory);
  if (statSync('.').uid !== process.geteuid()) throw new Error(`"${directory}" is not ours`);
  return { path: '.', mayStart };
}

function openEnvelope(directory: string): Envelope {
  return createEnvelope(join(directory, 'spool'), factLines(call, process));
}

/** Resolves with whether the end was reached in time. Does not read a terminal: its input belongs to the agent. */
function copyInput(target: Envelope | null): Promise<boolean> {
  return new Promise((resolve) => {
    const input = process.stdin;
    if (input.isTTY) {
      resolve(true);
      return;
    }
    setTimeout(() => resolve(false), DEADLINE_MS - performance.now());
    input.on('data', (chunk: Buffer) => target?.append(chunk));
    input.on('end', () => resolve(true));
    input.on('error', () => resolve(false));
  });
}

function orNull<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}

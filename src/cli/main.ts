#!/usr/bin/env node
/*
 * The commands of a person: words, options, tables, exit codes. They ask the daemon, and work without it where they
 * can. State that the daemon owns is never changed here, and what a command does to it never enters.
 */
import { writeSync } from 'node:fs';

import { removeUnsafeVariables, unsafeVariables } from '../core/launch-environment.ts';
import { isNewEnough, OLDEST_NODE, ownVersion } from '../platform/program-files.ts';

/** For `hookbell run`, whose command must not notice that it runs below another program. */
const asStarted = { umask: process.umask(0o022), env: unsafeVariables(process.env) };
const removed = removeUnsafeVariables(process.env);
const version = ownVersion();
const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  // Handled before a stream is opened or a command loaded, because completion scripts and users call it often.
  try {
    writeSync(1, `${version}\n`);
  } catch (error) {
    if (!isClosedPipe(error)) process.exitCode = sayUnwritable(error);
  }
} else if (!isNewEnough(process.versions.node)) {
  // The rest of the program does not even load there.
  writeSync(
    2,
    `hookbell: Node.js ${process.versions.node} is too old, version ${OLDEST_NODE} or newer is needed\n  Put a newer one first in PATH, then install hookbell again with it\n`,
  );
  process.exitCode = 1;
} else {
  // A reader such as "| head" may close the output early: this is not a failure, and no one would read an error. A
  // command that has to clean up listens as well, and ends by itself.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!isClosedPipe(error)) process.exit(sayUnwritable(error));
      if (stream.listenerCount('error') === 1) process.exit();
    });
  }
  // What is installed and configured decides what the daemon runs: no other user may write to it, whatever the shell says.
  process.umask(asStarted.umask | 0o022);
  const { runCommandLine } = await import('./program.ts');
  process.exitCode = await runCommandLine(words, version, removed, asStarted);
}

function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

/** The output cannot be written, for example to a full disk: not a bug, but the data is incomplete. */
function sayUnwritable(error: unknown): number {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const reason = code === 'ENOSPC' ? 'the disk is full' : code;
  try {
    writeSync(2, `hookbell: Cannot write the output: ${reason}\n`);
  } catch {
    // Standard error is closed too.
  }
  return 1;
}

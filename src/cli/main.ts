#!/usr/bin/env node
import { writeSync } from 'node:fs';

import { ownVersion } from '../core/program-files.ts';

const version = ownVersion();
const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  // Answered before a stream is opened or a command loaded: completion scripts and people ask for it often.
  try {
    writeSync(1, `${version}\n`);
  } catch (error) {
    if (!isClosedPipe(error)) throw error;
  }
} else {
  // Whoever reads the output may have seen enough, as "| head" has: that is no failure, and nobody is left to be told. A
  // command that has to clean up listens as well, and ends by itself.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!isClosedPipe(error)) throw error;
      if (stream.listenerCount('error') === 1) process.exit();
    });
  }
  const { runCommandLine } = await import('./program.ts');
  process.exitCode = await runCommandLine(words, version);
}

function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

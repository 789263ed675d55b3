#!/usr/bin/env node
import { ownVersion } from '../core/program-files.ts';

// Whoever reads the output may have seen enough, as "| head" has: that is no failure, and nobody is left to be told. A
// command that has to clean up listens as well, and ends by itself.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (stream.listenerCount('error') === 1) process.exit();
  });
}

// Answered before anything else is loaded: completion scripts and people ask for it often.
const version = ownVersion();
const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  const { runCommandLine } = await import('./program.ts');
  process.exitCode = await runCommandLine(words, version);
}

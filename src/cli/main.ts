#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// Whoever reads the output may have seen enough, as "| head" has: that is no failure, and nobody is left to be told.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

// Answered before anything else is loaded: completion scripts and people ask for it often.
const version: { version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);
const words = process.argv.slice(2);

// "hookbell history | head" has seen enough: that is no failure, and nobody reads what would follow.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${version.version}\n`);
} else {
  const { runCommandLine } = await import('./program.ts');
  process.exitCode = await runCommandLine(words, version.version);
}

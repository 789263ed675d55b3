#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// Answered before anything else is loaded: completion scripts and people ask for it often.
const version: { version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);
const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${version.version}\n`);
} else {
  const { runCommandLine } = await import('./program.ts');
  process.exitCode = await runCommandLine(words, version.version);
}

// Sets the wall clock of a program of Node forward or back while it runs: `node --import …/shifted-clock.js program`. By how many ms
// stands in the file that HOOKBELL_TEST_CLOCK names. The machine's own clock is shared, so tests must not change it.
import { readFileSync } from 'node:fs';

const path = process.env['HOOKBELL_TEST_CLOCK'] ?? '';
const realNow = Date.now.bind(Date);
let shiftMs = 0;

function look(): void {
  try {
    shiftMs = Number(readFileSync(path, 'utf8')) || 0;
  } catch {
    shiftMs = 0;
  }
}

look();
setInterval(look, 50).unref();
Date.now = () => realNow() + shiftMs;

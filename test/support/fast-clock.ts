// Makes time pass faster in a program of Node: `node --import …/fast-clock.js program`. HOOKBELL_TEST_SPEED is by how much, from the
// moment of HOOKBELL_TEST_START, Unix ms, on, also in the times of files. Time limits of AbortSignal stay as they are, which makes
// them longer.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const speed = Number(process.env['HOOKBELL_TEST_SPEED'] ?? 1);
const start = Number(process.env['HOOKBELL_TEST_START'] ?? Date.now());

const realNow = Date.now.bind(Date);
const quicker = (at: number): number => (at < start ? at : start + (at - start) * speed);
Date.now = () => quicker(realNow());
const sinceStart = performance.now.bind(performance);
performance.now = () => sinceStart() * speed;
// The machine was started at the same moment for every process.
const bootedAt = realNow() / 1_000 - os.uptime();
os.uptime = () => Date.now() / 1_000 - bootedAt;

const look = fs.lstatSync.bind(fs);
function lstatSync(...given: Parameters<typeof fs.lstatSync>): unknown {
  const stats = look(...given);
  if (stats instanceof fs.Stats) {
    stats.birthtimeMs = quicker(stats.birthtimeMs);
    stats.mtimeMs = quicker(stats.mtimeMs);
  }
  return stats;
}
Object.assign(fs, { lstatSync });
syncBuiltinESMExports();

const { setTimeout: later, setInterval: often } = globalThis;
const shorter = (ms: unknown): number => Number(ms ?? 0) / speed;
globalThis.setTimeout = Object.assign(
  (callback: () => void, ms?: number, ...given: []) => later(callback, shorter(ms), ...given),
  later,
);
globalThis.setInterval = Object.assign(
  (callback: () => void, ms?: number, ...given: []) => often(callback, shorter(ms), ...given),
  often,
);

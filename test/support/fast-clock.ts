// Makes time pass faster in a program of Node: `node --import …/fast-clock.js program`. HOOKBELL_TEST_SPEED is by how much, from the
// moment of HOOKBELL_TEST_START, Unix ms, on. Time limits of AbortSignal stay as they are, which makes them longer.
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const speed = Number(process.env['HOOKBELL_TEST_SPEED'] ?? 1);
const start = Number(process.env['HOOKBELL_TEST_START'] ?? Date.now());

const fast = (from: number, clock: () => number) => (): number => from + (clock() - from) * speed;
Date.now = fast(start, Date.now.bind(Date));
performance.now = fast(0, performance.now.bind(performance));
const booted = os.uptime();
os.uptime = fast(booted, os.uptime.bind(os));
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

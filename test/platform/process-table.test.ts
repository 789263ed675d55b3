import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { processLine } from '../../src/platform/process-table.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Given {
  readonly pid: number;
  readonly parent: number;
  readonly device: number;
  /** Clock ticks after the start of the machine, which is 1,000 s ago. */
  readonly start?: number;
  /** The process group in the foreground of the terminal; -1 without one. Its own is 1. */
  readonly foreground?: number;
}

/** A directory as /proc is, with these processes. */
async function procWith(...processes: readonly Given[]) {
  const directory = await temporaryDirectory();
  await writeFile(join(directory.path, 'uptime'), '1000.00 1500.00\n');
  for (const { pid, parent, device, start = 0, foreground = 1 } of processes) {
    await mkdir(join(directory.path, String(pid)));
    const rest = `S ${parent} 1 1 ${device} ${foreground} 0 0 0 0 0 0 0 0 0 20 0 1 0 ${start} 0 0`;
    await writeFile(join(directory.path, `${pid}/stat`), `${pid} (a) S 7 (b c) ${rest}\n`);
  }
  return directory;
}

test('processLine() names the process and all it descends from, with their terminals', async () => {
  await using proc = await procWith(
    { pid: 9, parent: 8, device: (136 << 8) + 3, start: 99_000 },
    { pid: 8, parent: 1, device: 0, foreground: -1 },
    { pid: 1, parent: 0, device: 0 },
  );

  const line = await processLine(9, 0, proc.path);

  assert.deepEqual(line, [
    {
      pid: 9,
      parent: 8,
      terminal: '/dev/pts/3',
      isForeground: true,
      start: '99000',
      ageMs: 10_000,
    },
    { pid: 8, parent: 1, terminal: null, isForeground: false, start: '0', ageMs: 1_000_000 },
  ]);
});

for (const [device, terminal] of [
  [(136 << 8) | 255, '/dev/pts/255'],
  [(137 << 8) | 0, '/dev/pts/256'],
  [(136 << 8) | 1 | (1 << 20), '/dev/pts/257'],
  [(4 << 8) | 2, '/dev/tty2'],
  [(4 << 8) | 64, '/dev/ttyS0'],
  [(5 << 8) | 1, null],
  [0, null],
] as const) {
  test(`processLine() takes device ${device} for ${terminal}`, async () => {
    await using proc = await procWith({ pid: 9, parent: 1, device });

    assert.equal((await processLine(9, 0, proc.path))[0]?.terminal, terminal);
  });
}

test('processLine() does not take a younger process for the one that had its number', async () => {
  await using proc = await procWith({ pid: 9, parent: 1, device: 0, start: 99_000 });

  assert.deepEqual(await processLine(9, 20_000, proc.path), []);
  assert.equal((await processLine(9, 10_500, proc.path)).length, 1);
});

test('processLine() believes no age before the start of a container', async () => {
  await using proc = await procWith({ pid: 9, parent: 1, device: 0, start: 500_000 });

  assert.equal((await processLine(9, 20_000, proc.path)).length, 1);
});

test('processLine() is empty without a process, and ends with a process that is its own parent', async () => {
  await using proc = await procWith({ pid: 9, parent: 9, device: 0 });

  assert.deepEqual(await processLine(7, 0, proc.path), []);
  assert.deepEqual(await processLine(9, 0, '/nonexistent'), []);
  assert.ok((await processLine(9, 0, proc.path)).length <= 32);
});

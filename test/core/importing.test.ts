import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';

// They run when imported: that is what they are for.
const MAINS = [
  'cli/main.js',
  'daemon/main.js',
  'channels/desktop/node-notifier-main.js',
  'store/sqlite/check-pages-main.js',
  'daemon/far-files/main.js',
];

const root = new URL('../../src/', import.meta.url);

/** Imports modules in a separate process and reports what keeps that process alive. */
function importAll(modules: readonly string[]): { left: string; stderr: string } {
  const script = `
    import { writeSync } from 'node:fs';
    import { setImmediate } from 'node:timers/promises';
    // Packages look whether the standard streams are terminals, which opens them as pipes: no business of theirs.
    void [process.stdin, process.stdout, process.stderr];
    const before = process.getActiveResourcesInfo().toSorted();
    for (const module of ${JSON.stringify(modules)}) await import(module);
    // What is being closed is gone after a turn of the loop.
    await setImmediate();
    const after = process.getActiveResourcesInfo().toSorted();
    writeSync(1, JSON.stringify({ before, after }));
  `;
  const { stdout, stderr, status, signal } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', script],
    { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' },
  );
  if (status !== 0) return { left: `status ${status}, signal ${signal}`, stderr };
  const { before, after }: { before: string[]; after: string[] } = JSON.parse(stdout);
  return { left: after.join() === before.join() ? '' : after.join(), stderr };
}

test('Importing any module starts nothing, writes nothing and ends by itself', () => {
  const modules = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.js') && !MAINS.includes(name))
    .toSorted();
  assert.ok(modules.includes('core/paths.js'));

  const { left, stderr } = importAll(modules.map((name) => new URL(name, root).href));

  assert.deepEqual({ left, stderr }, { left: '', stderr: '' });
});

test('A module that starts something would be noticed', () => {
  const source = 'setInterval(() => {}, 1_000).ref(); setTimeout(() => process.exit(), 500);';

  const { left } = importAll([`data:text/javascript,${encodeURIComponent(source)}`]);

  assert.match(left, /Timeout/);
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { HungPathError } from '../../src/core/far-files.ts';
import { programFile } from '../../src/platform/program-files.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { StoppableFarFiles } from '../../src/daemon/far-files/far-file-service.ts';
import { createFarFiles } from '../../src/daemon/far-files/far-file-service.ts';
import { fileJobs } from '../../src/daemon/far-files/file-jobs.ts';
import { createWarnings } from '../../src/delivery/warnings.ts';
import { until } from '../support/hookbell-home.ts';
import { mountHanging, needsHanging } from '../support/hung-file-system.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Scene extends Disposable {
  readonly files: StoppableFarFiles;
  readonly warnings: () => readonly string[];
  readonly answered: () => number;
}

function scene(): Scene {
  const warnings = createWarnings({ now: () => 5, newId: () => 'id', log: silentLog });
  let answered = 0;
  const files = createFarFiles({
    warnings,
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    onAnswers: () => (answered += 1),
    patienceMs: 300,
    probeMs: 50,
  });
  return {
    files,
    warnings: () => warnings.list(),
    answered: () => answered,
    [Symbol.dispose]: () => files.stop(),
  };
}

/** How many children of this process do file work. */
function children(): number {
  const program = programFile('farFiles');
  return readdirSync('/proc').filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const parent = /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
      return words.includes(program) && parent === String(process.pid);
    } catch {
      return false;
    }
  }).length;
}

describe('createFarFiles()', { skip: needsHanging() }, () => {
  test('does the work on a far file system in a child, with its errors (A2)', async () => {
    await using far = await mountHanging();
    using stage = scene();
    const { files } = stage;
    const path = join(far.path, 'out.jsonl');
    await writeFile(join(far.source, 'loose'), 'secret', { mode: 0o644 });

    const outcome = await files.run('appendLines', { path, lines: ['one é\n'], mode: 0o600 });

    assert.deepEqual(outcome, [{ type: 'delivered' }]);
    assert.equal(await readFile(join(far.source, 'out.jsonl'), 'utf8'), 'one é\n');
    assert.equal(children(), 1);
    await assert.rejects(files.run('text', { path: join(far.path, 'none') }), { code: 'ENOENT' });
    const loose = { path: join(far.path, 'loose'), platform: process.platform };
    await assert.rejects(files.run('secret', loose), { name: 'ConfigError', message: /mode 0644/ });
  });

  test('takes one child at most while a file system hangs, and none of the threads of Node (A2)', async () => {
    await using far = await mountHanging();
    await using near = await temporaryDirectory();
    using stage = scene();
    const { files } = stage;
    await writeFile(join(near.path, 'near'), 'near');
    far.hang();

    const asked = Array.from({ length: 20 }, (_, at) =>
      files.run('text', { path: join(far.path, `t${at}.jsonl`) }),
    );
    const near1 = await files.run('text', { path: join(near.path, 'near') });
    const results = await Promise.allSettled(asked);
    const refused = await files.run('text', { path: far.path }).catch((error: unknown) => error);

    assert.equal(near1, 'near');
    assert.ok(results.every(({ status }) => status === 'rejected'));
    assert.ok(refused instanceof HungPathError && refused.isUntouched);
    assert.deepEqual(stage.warnings(), [
      `The file system on "${far.path}" has not responded since 2026-01-02T03:04:05.000Z: work that needs its files waits or continues without them`,
    ]);
    assert.ok(children() <= 1, `${children()} children`);

    far.answer();
    await until(() => stage.warnings().length === 0);
    assert.equal(stage.answered(), 1);
    await writeFile(join(far.source, 'back'), 'well');
    assert.equal(await files.run('text', { path: join(far.path, 'back') }), 'well');
  });
});

test('createFarFiles() opens no share that only a payload names on Windows (T18)', async () => {
  const opened: string[] = [];
  const named = (asked: { readonly path: string }) => {
    opened.push(asked.path);
    return Promise.resolve(null);
  };
  const files = createFarFiles({
    warnings: createWarnings({ now: () => 5, newId: () => 'id', log: silentLog }),
    now: () => 5,
    onAnswers: () => undefined,
    platform: 'win32',
    jobs: { ...fileJobs, transcriptTitle: named, transcriptTail: named, projectSettings: named },
  });
  const path = '\\\\nas\\home';
  const strange = /"\\\\nas\\home" is on a share of a stranger/;
  const settings = (trusted: Readonly<Record<string, string>>) =>
    files.run('projectSettings', { path, uid: null, trusted });

  await assert.rejects(files.run('transcriptTitle', { path, uid: null }), strange);
  await assert.rejects(files.run('transcriptTail', { path, uid: null, bytes: 1 }), strange);
  await assert.rejects(settings({ 'C:\\shop\\.hookbell.yaml': 'x' }), strange);
  assert.deepEqual(opened, []);

  await settings({ '\\\\NAS\\home\\shop\\.hookbell.yaml': 'x' });
  assert.deepEqual(opened, [path]);
  files.stop();
});

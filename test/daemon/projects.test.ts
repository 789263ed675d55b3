import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import type { ProjectFile } from '../../src/config/project-file.ts';
import { writeTrusted } from '../../src/config/trusted-projects.ts';
import { createProjects } from '../../src/daemon/projects.ts';
import { deferred } from '../support/deferred.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const file: ProjectFile = {
  path: '/home/dev/shop/.hookbell.yaml',
  content: { ok: true, text: 'label: Front\n', hash: 'abc' },
};

test('createProjects() looks again after a second, and sees what was trusted meanwhile (T18)', async () => {
  await using directory = await temporaryDirectory();
  const trusted = join(directory.path, 'trusted.json');
  let now = 0;
  let looks = 0;
  const projects = createProjects({
    trusted,
    uid: null,
    monotonic: () => now,
    find: () => {
      looks += 1;
      return Promise.resolve(file);
    },
  });

  await projects.look(['/home/dev/shop', null, '/home/dev/shop']);
  await projects.look(['/home/dev/shop']);
  assert.deepEqual([looks, projects.of('/home/dev/shop')?.label], [1, null]);

  await writeTrusted(trusted, new Map([[file.path, 'abc']]));
  now = 2_000;
  await projects.look(['/home/dev/shop']);
  assert.deepEqual([looks, projects.of('/home/dev/shop')?.label], [2, 'Front']);
  assert.equal(projects.of('/elsewhere'), null);
  assert.equal(projects.of(null), null);
});

test('createProjects() lets events go on when a directory never answers, and takes no second thread for it', async () => {
  const never = deferred();
  const reached = deferred();
  let looks = 0;
  const projects = createProjects({
    trusted: '/nonexistent',
    uid: null,
    patienceMs: 1,
    find: async () => {
      looks += 1;
      reached.resolve();
      await never.promise;
      return null;
    },
  });

  const first = projects.look(['/dead']);
  await reached.promise;
  await projects.look(['/other']);
  await first;

  assert.equal(looks, 1);
  never.resolve();
});

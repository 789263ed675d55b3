import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { PROJECT_FILE, writeTrusted } from '../../src/config/project-file.ts';
import type { FarFiles } from '../../src/core/far-files.ts';
import { nearFiles } from '../../src/daemon/far-files/file-jobs.ts';
import { createProjects } from '../../src/daemon/projects.ts';
import { deferred } from '../support/deferred.ts';
import { until } from '../support/hookbell-home.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('createProjects() looks again after a second, and sees what was trusted meanwhile (T18)', async () => {
  await using directory = await temporaryDirectory();
  const { path: shop } = directory;
  const trusted = join(shop, 'trusted.json');
  const text = 'label: Front\n';
  await writeFile(join(shop, PROJECT_FILE), text, { mode: 0o600 });
  let now = 0;
  let looks = 0;
  const files: FarFiles = {
    run(name, asked) {
      looks += 1;
      return nearFiles.run(name, asked);
    },
  };
  const projects = createProjects({ trusted, uid: null, monotonic: () => now, files });

  await projects.look([shop, null, shop]);
  await projects.look([shop]);
  assert.deepEqual([looks, projects.of(shop)?.label], [1, null]);

  const hash = createHash('sha256').update(text).digest('hex');
  writeTrusted(trusted, new Map([[join(shop, PROJECT_FILE), hash]]));
  now = 2_000;
  await projects.look([shop]);
  assert.deepEqual([looks, projects.of(shop)?.label], [2, 'Front']);
  assert.equal(projects.of('/elsewhere'), null);
  assert.equal(projects.of(null), null);
});

test('createProjects() lets events go on when a directory never answers, and looks at others meanwhile (A2)', async () => {
  await using directory = await temporaryDirectory();
  const never = deferred();
  const looked: string[] = [];
  const files: FarFiles = {
    async run(name, asked) {
      looked.push(asked.path);
      if (asked.path === '/dead') await never.promise;
      return nearFiles.run(name, asked);
    },
  };
  const projects = createProjects({ trusted: '/nonexistent', uid: null, patienceMs: 1, files });

  await projects.look(['/dead']);
  await until(() => looked.length === 1);
  await projects.look(['/dead', directory.path]);
  await until(() => looked.length === 2);
  await projects.look(['/dead']);

  assert.deepEqual(looked, ['/dead', directory.path]);
  never.resolve();
});

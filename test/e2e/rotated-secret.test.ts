import assert from 'node:assert/strict';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { openHttpEndpoint } from '../support/http-endpoint.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';

test(
  'a corrected or rotated secret file is used without a restart (A14)',
  { timeout: 120_000 },
  async () => {
    await using first = await openHttpEndpoint();
    await using second = await openHttpEndpoint();
    await using place = await hookbellHome();
    const secret = join(dirname(place.paths.config), 'hook-url');
    await mkdir(dirname(secret), { recursive: true });
    await writeFile(secret, `${first.url}/one\n`);
    await chmod(secret, 0o644);
    await place.writeConfig(`
channels: { out: { type: webhook, url: { file: hook-url }, allow_http: true, allow_private: true } }
plans: { bell: [{ after: 0s, notify: out }] }
routes: [{ match: {}, plan: bell }]
`);
    await place.start();
    const ring = (session: string) =>
      place.hook({
        session_id: session,
        hook_event_name: 'Notification',
        message: 'asks',
        cwd: '/srv',
      });
    await ring('a');
    await until(async () => (await place.cli('doctor')).stdout.includes('chmod 600'));
    assert.equal(first.requests.length, 0);

    await chmod(secret, 0o600);
    await until(() => first.requests.length > 0);

    await writeFile(`${secret}.new`, `${second.url}/two\n`, { mode: 0o600 });
    await rename(`${secret}.new`, secret);
    await until(async () => {
      await ring(`b${second.requests.length}${Math.random()}`);
      return second.requests.length > 0;
    });
    const { stdout } = await place.cli('doctor', '--json');
    assert.ok(!stdout.includes(`${second.url}/two`));
  },
);

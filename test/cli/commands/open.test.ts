import assert from 'node:assert/strict';
import { test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';

test('"hookbell open" prints a link where no browser can be opened', async () => {
  await using cli = await commandLine();
  const page = { expiresAt: '2026-03-01T10:05:00.000Z', code: null, limit: null };
  await cli.serve({
    'POST /v1/caller': () => Promise.resolve({ id: 'proof', path: import.meta.filename }),
    'POST /v1/page': ({ body }) =>
      Promise.resolve(
        Object(body)['for'] === 'browser'
          ? { ...page, url: 'http://127.0.0.1:1/?a', file: '/nowhere' }
          : { ...page, url: 'http://127.0.0.1:1/?b', file: null },
      ),
  });

  const { code, stdout, stderr } = await cli.run(['open'], {
    env: { DISPLAY: ':99', PATH: '/nowhere' },
  });

  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'http://127.0.0.1:1/?b\n');
  assert.match(stderr, /^Cannot open a browser: (?:xdg-)?open was not found\. Open this link/);
});

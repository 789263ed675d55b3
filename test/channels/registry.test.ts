import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { channelDefinitions } from '../../src/channels/registry.ts';

const folder = fileURLToPath(new URL('../../src/channels/', import.meta.url));

test('channelDefinitions lists every channel that has a file or a folder, under its name', () => {
  const written = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.js'))
    .map((entry) => entry.name.replace(/\.js$/, ''))
    .filter((name) => name !== 'registry' && name !== 'support');

  const listed = channelDefinitions.map(({ type }) => type);

  assert.deepEqual(listed.toSorted(), written.toSorted());
});

test('the registry loads no SDK: each waits for the first channel that needs it (P1)', () => {
  // The SDKs of Slack, mail and proxies are CommonJS, whose cache shows what was loaded.
  const { cache } = createRequire(import.meta.url);

  const packages = Object.keys(cache).filter((path) => path.includes('node_modules'));

  assert.deepEqual(packages, []);
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { abilities, declaredAbilities } from '../../src/core/ability.ts';
import { channelCatalog } from '../../src/channels/registry.ts';

const channelDefinitions = await channelCatalog.load();

const folder = fileURLToPath(new URL('../../src/channels/', import.meta.url));

test('channelCatalog lists every channel that has a file or a folder, under its name', () => {
  const written = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.js'))
    .map((entry) => entry.name.replace(/\.js$/, ''))
    .filter((name) => name !== 'registry' && name !== 'support');

  const listed = channelDefinitions.map(({ type }) => type);

  assert.deepEqual(listed.toSorted(), written.toSorted());
});

test('no channel type loads its SDK: each waits for the first channel that needs it (P1)', () => {
  // The SDKs of Slack, mail and proxies are CommonJS, whose cache shows what was loaded.
  const { cache } = createRequire(import.meta.url);

  const packages = Object.keys(cache).filter((path) => path.includes('node_modules'));

  assert.deepEqual(packages, []);
});

test('channelCatalog loads the types it is asked for', async () => {
  const some = await channelCatalog.load(['webhook', 'nonsense', 'email', '__proto__']);

  assert.deepEqual(
    some.map(({ type }) => type),
    ['email', 'webhook'],
  );
  assert.deepEqual(
    channelDefinitions.map(({ type }) => type),
    channelCatalog.types,
  );
});

test('the table of channels in the docs says what each type declares', () => {
  const page = readFileSync(
    fileURLToPath(new URL('../../../docs/channels/README.md', import.meta.url)),
    'utf8',
  );
  const [heading = [], , ...rows] = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  assert.deepEqual(heading.slice(3, -1), abilities);
  for (const { type, can } of channelDefinitions) {
    const row = rows.find(([, name]) => name === `[${type}](${type}.md)`) ?? [];
    const shown = declaredAbilities(can).map(({ ability, needs }) => [ability, needs !== null]);
    const written = heading.flatMap((name, index) =>
      row[index]?.startsWith('yes') === true ? [[name, row[index] !== 'yes']] : [],
    );
    assert.deepEqual(written, shown, type);
    for (const { needs } of declaredAbilities(can)) assert.ok(page.includes(needs ?? ''), type);
  }
});

test('every channel has a page with a configuration of it, and a line in docs/README.md', () => {
  const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));
  const index = readFileSync(`${docs}README.md`, 'utf8');

  for (const type of channelCatalog.types) {
    const page = readFileSync(`${docs}channels/${type}.md`, 'utf8');
    assert.match(
      page,
      new RegExp(`^\`\`\`yaml\n(?:(?!\`\`\`)[^])*\\b(?:type|notify): ${type}\\b`, 'm'),
      type,
    );
    assert.ok(index.includes(`[${type}](channels/${type}.md)`), `docs/README.md lacks ${type}`);
  }
});

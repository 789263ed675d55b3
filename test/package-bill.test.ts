import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import * as z from 'zod';

import { projectRoot } from './support/hookbell-home.ts';
import { runProcess } from './support/run-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const words = z.string().min(1);

function textOf(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

const Component = z.looseObject({
  'bom-ref': words,
  type: z.literal('library'),
  name: words,
  version: words,
  scope: z.enum(['required', 'optional']),
  purl: z.string().regex(/^pkg:npm\/[^@]+@\d/),
  licenses: z.array(z.unknown()).min(1),
});
const Bill = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.enum(Spec.Version),
  serialNumber: z.string().regex(/^urn:uuid:/),
  metadata: z.looseObject({ component: z.looseObject({ name: z.literal('hookbell') }) }),
  components: z.array(Component.extend({ hashes: z.array(z.unknown()).min(1) })),
  dependencies: z.array(z.strictObject({ ref: words, dependsOn: z.array(words) })),
});

/** What the schemas of CycloneDX say against it; null: nothing. */
function errorsOf(bill: string, version: Spec.Version): Promise<unknown> {
  return new Validation.JsonStrictValidator(version).validate(bill);
}

test('scripts/bill-of-materials.mjs: lists the packages that people get, and no others', async () => {
  const script = join(projectRoot, 'scripts/bill-of-materials.mjs');
  await using home = await temporaryDirectory();
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.path };
  const pack = z.array(z.object({ name: z.string(), version: z.string() }));
  const inside = pack.parse(JSON.parse(textOf('dist/program/packages.json')));

  const { code, stdout, stderr } = await runProcess(process.execPath, [script], { env });

  assert.equal(code, 0, stderr);
  const { specVersion, components, dependencies } = Bill.parse(JSON.parse(stdout));
  assert.equal(await errorsOf(stdout, specVersion), null);
  assert.notEqual(await errorsOf(stdout.replaceAll('"library"', '"book"'), specVersion), null);
  const required = components.filter(({ scope }) => scope === 'required');
  assert.deepEqual(
    required.map((component) => component['bom-ref']).toSorted(),
    inside.map(({ name, version }) => `${name}@${version}`).toSorted(),
  );
  const optional = components.filter(({ scope }) => scope === 'optional').map(({ name }) => name);
  for (const name of ['@photostructure/sqlite', 'node-notifier', 'uuid']) {
    assert.ok(optional.includes(name), name);
  }
  const page = textOf('docs/dependencies.md');
  for (const { name, version } of components) {
    assert.match(page, new RegExp(`^\\| ${name.replaceAll('.', '\\.')} +\\| ${version} `, 'm'));
  }
  const known = new Set(components.map((component) => component['bom-ref']));
  const needed = dependencies.flatMap(({ dependsOn }) => dependsOn);
  assert.deepEqual(
    needed.filter((reference) => !known.has(reference)),
    [],
  );
});

test('dist/program/licences.txt has the licence of every package inside the programs', () => {
  const notices = textOf('dist/program/licences.txt');
  const inside = z
    .array(z.object({ name: z.string(), version: z.string(), license: z.string() }))
    .parse(JSON.parse(textOf('dist/program/packages.json')));

  assert.ok(inside.length > 20);
  for (const { name, version, license } of inside) {
    const [, text = ''] = notices.split(`${name} ${version} (${license})\n\n`);
    assert.match(text.slice(0, 3000), /copyright|permission/i, name);
  }
});

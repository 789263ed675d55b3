import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { routes } from '../../../src/vendor/client/index.ts';
import { projectRoot } from '../../support/hookbell-home.ts';
import { namesIn, readInterface, rowsIn } from './interface-document.ts';

test('acceptance 227: the table has each operation of the document, with its method, path and parameters', () => {
  const parts = readInterface();
  const written = [
    'Analytics (all GET, read-only)',
    'Readiness reports',
    'Sessions',
    'Computers',
    'Organization',
  ]
    .flatMap((heading) => rowsIn(parts.get(heading) ?? ''))
    .filter(([first = '']) => /^(GET|POST|PUT|PATCH|\/api)/.test(first))
    .map((cells) => {
      const [method = '', path = '', ...rest] = cells[0]?.startsWith('/')
        ? ['GET', ...cells]
        : cells;
      return { method, path: path.replaceAll(/`|\{app_url\}/g, ''), rest };
    });
  const table = new Map(
    Object.values(routes).map((route) => [`${route.method} ${route.path}`, route]),
  );

  assert.deepEqual(
    written.map(({ method, path }) => `${method} ${path}`).toSorted(),
    [...table.keys()].toSorted(),
  );
  for (const { method, path, rest } of written) {
    const known = Object.keys(table.get(`${method} ${path}`)?.parameters.shape ?? {});
    // Without the last cell, which is the answer, and without what stands in braces: that is deeper.
    const text = rest
      .slice(0, -1)
      .join(' ')
      .replaceAll(/`\{[^`]*`/g, '');
    for (const name of namesIn(text)) {
      if (/^(model|tool_name|client|meta\..*|data|``?)$/.test(name)) continue;
      assert.ok(known.includes(name), `${method} ${path}: parameter ${name}`);
    }
    assert.equal(
      table.get(`${method} ${path}`)?.status,
      rest.at(-1)?.startsWith('202') ? 202 : 200,
    );
  }
});

test('acceptance 227: the documentation says of each operation what it serves', async () => {
  const page = await readFile(join(projectRoot, 'docs/vendor-api.md'), 'utf8');
  const served = [...page.matchAll(/^\| `(\w+\.\w+)` +\| \S/gm)].map(([, id = '']) => id);

  assert.deepEqual(served.toSorted(), Object.keys(routes).toSorted());
});

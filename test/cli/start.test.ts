import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { commandLine } from '../support/command-line.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { sampleEventView, sampleStatusView } from '../support/sample-views.ts';

/** A bundle has its packages in itself: what is loaded when shows in the modules it is made of. */
const separate = join(projectRoot, 'dist/src/cli/main.js');

/** Lets a process end with an error as soon as it loads a package other than commander. */
const noPackages = `--import=${moduleOf(`
  import { register } from 'node:module';
  register(${JSON.stringify(
    moduleOf(`
      export function resolve(specifier, context, next) {
        if (/^(\\.|node:|file:|data:|commander$)/.test(specifier)) return next(specifier, context);
        throw new Error('This start pays for the package ' + specifier);
      }`),
  )});`)}`;

function moduleOf(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

for (const name of ['status', 'sessions', 'history', 'explain', 'queue']) {
  test(`"hookbell ${name}" loads no package but commander, so that it starts fast (P1)`, async () => {
    await using cli = await commandLine(separate);
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView()),
      'GET /v1/sessions': () => Promise.resolve([]),
      'GET /v1/history': () => Promise.resolve([]),
      'GET /v1/events': () => Promise.resolve(sampleEventView()),
      'GET /v1/queue': () => Promise.resolve([]),
    });

    const { code, stderr } = await cli.run([name, '--json'], {
      env: { NODE_OPTIONS: noPackages },
    });

    assert.deepEqual([code, stderr], [0, '']);
  });
}

test('the packages of a command are loaded when it is called (P1)', async () => {
  await using cli = await commandLine(separate);

  const { code, stderr } = await cli.run(['config', 'show'], { env: { NODE_OPTIONS: noPackages } });

  assert.notEqual(code, 0);
  assert.match(stderr, /pays for the package/);
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { projectRoot } from './support/hookbell-home.ts';
import { runProcess } from './support/run-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** A few screens; Node prints the line of the source, the message and the stack. */
const MOST_CHARACTERS = 3_000;

test(
  'an error of the client that a program does not catch is printed in lines that a person can read',
  {
    skip:
      process.env['NODE_V8_COVERAGE'] !== undefined &&
      'needs the bundled client, which runs in separate files for coverage',
  },
  async () => {
    await using directory = await temporaryDirectory();
    const client = join(projectRoot, 'dist/program/client.js');
    const program = `import { createClient } from ${JSON.stringify(client)}; createClient({ baseUrl: 'nothing', apiKey: 'k' });`;

    const { code, stderr } = await runProcess(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { cwd: directory.path, env: { PATH: process.env['PATH'] ?? '' } },
    );

    assert.equal(code, 1);
    assert.match(stderr, /client\.js:\d+\n/);
    assert.match(stderr, /at checkAddress /);
    assert.ok(stderr.length < MOST_CHARACTERS, `${stderr.length} characters`);
  },
);

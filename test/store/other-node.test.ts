import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { needs } from '../support/system-part.ts';

/** The path of a Node that has SQLite built in, as this one may have or not. */
const otherNode = process.env['HOOKBELL_NODE_24'] ?? 'a Node 24, whose path is in HOOKBELL_NODE_24';

const PROCESSES = 4;
const MOST_OUTPUT = 16 * 1024 * 1024;

test('loadDriver() takes the SQLite built into Node, or the package where there is none', async () => {
  const driver = (await loadDriver())(':memory:');
  const row = driver.prepare('SELECT sqlite_version()').get();
  driver.close();

  const builtIn = process.versions['sqlite'];
  const version = String(Object.values(row ?? {})[0]);
  if (builtIn === undefined) assert.match(version, /^3\.\d+\.\d+$/);
  else assert.equal(version, builtIn);
});

test(
  'all tests of the store pass with the SQLite built into Node',
  {
    skip: needs(otherNode),
  },
  async () => {
    // Without those that run the others again, on a server.
    const folder = new URL('./', import.meta.url);
    const files = readdirSync(folder)
      .filter((name) => name.endsWith('.test.js') && !/^(?:other-node|on-postgres)/.test(name))
      .map((name) => fileURLToPath(new URL(name, folder)));
    // With it, Node would take this for a test run inside a test run, do nothing and report success.
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;

    // Several to a process: to start one for each takes longer than they do.
    const groups = Array.from({ length: PROCESSES }, (_, group) =>
      files.filter((_name, index) => index % PROCESSES === group),
    );
    const words = ['--test', '--test-isolation=none', '--test-reporter=tap'];
    const outputs = await Promise.all(
      groups.map((group) =>
        promisify(execFile)(otherNode, [...words, ...group], { env, maxBuffer: MOST_OUTPUT }),
      ),
    );

    for (const { stdout } of outputs) {
      assert.match(stdout, /^# fail 0$/m);
      assert.match(stdout, /^# pass [1-9]\d+$/m);
    }
  },
);

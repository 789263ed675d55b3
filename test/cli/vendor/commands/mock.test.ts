import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

import { SCENARIO_NAMES } from '../../../../src/vendor/reference-service/scenarios.ts';
import type { MockKeys } from '../../../../src/vendor/reference-service/keys.ts';
import type { CommandLine } from '../../../support/command-line.ts';
import { commandLine } from '../../../support/command-line.ts';

interface Served {
  readonly baseUrl: string;
  readonly appUrl: string;
  readonly keys: MockKeys;
  readonly seed: number;
  readonly scenario: string | null;
  readonly control: boolean;
  /** Ends it by a signal; answers exit code and what it said. */
  end(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly said: string }>;
}

/** Starts `hookbell service mock … --json` and reads the one document it prints when it is ready. */
async function serve(cli: CommandLine, ...words: readonly string[]): Promise<Served> {
  const child = cli.start(['service', 'mock', ...words, '--json']);
  const said = text(child.stderr);
  let printed = '';
  while (!printed.endsWith('\n}\n')) {
    const [chunk] = await once(child.stdout, 'data');
    printed += String(chunk);
  }
  const document: Omit<Served, 'end'> = JSON.parse(printed);
  return {
    ...document,
    async end(signal) {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      return { code: child.exitCode, said: await said };
    },
  };
}

async function get(url: string, key: string): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(response.status, 200);
  return response.json();
}

describe('hookbell service mock', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`serves both addresses until ${signal}, then ends with 0 and without a word`, async () => {
      await using cli = await commandLine();
      const mock = await serve(cli, 'serve');

      const computers = await get(`${mock.baseUrl}/api/v0/computers`, mock.keys.jwt);
      await get(`${mock.appUrl}/api/organization/maturity-level-reports`, mock.keys.member);
      const ended = await mock.end(signal);

      assert.match(JSON.stringify(computers), /ada-laptop/);
      assert.deepEqual(ended, { code: 0, said: '' });
      await assert.rejects(fetch(mock.baseUrl));
    });
  }

  test('has other data and keys with another seed, and what a scenario says', async () => {
    await using cli = await commandLine();
    const one = await serve(cli);
    const other = await serve(cli, '--seed', '8', '--scenario', 'v0-off', '--control');

    const refused = await fetch(`${other.baseUrl}/api/v0/computers`, {
      headers: { authorization: `Bearer ${other.keys.owner}` },
    });
    const log = await fetch(`${other.baseUrl}/__ref/log`);
    const noLog = await fetch(`${one.baseUrl}/__ref/log`);

    assert.notEqual(one.keys.owner, other.keys.owner);
    assert.deepEqual([one.seed, one.scenario, one.control], [7, null, false]);
    assert.deepEqual([other.seed, other.scenario, other.control], [8, 'v0-off', true]);
    assert.deepEqual([refused.status, log.status, noLog.status], [403, 200, 404]);
  });

  test('prints what a configuration needs on standard output, and the rest beside it', async () => {
    await using cli = await commandLine();
    const child = cli.start(['service', 'mock', '--seed', '3']);
    const [said, printed] = [text(child.stderr), text(child.stdout)];
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    await once(child, 'exit');

    assert.match(
      await printed,
      /^api:\n {2}base_url: http:\/\/127\.0\.0\.1:\d+\n {2}app_url: http:\/\/127\.0\.0\.1:\d+\n {2}key: fk-owner-\w+ # of the owner\n$/,
    );
    assert.match(await said, /seed 3; press Ctrl-C to stop/);
    await cli.write('config.yaml', await printed);
    const checked = await cli.run(['config', 'check', 'config.yaml']);
    assert.equal(checked.code, 0, checked.stderr);
  });

  test('says which port is in use, and ends with 1', async () => {
    await using cli = await commandLine();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' ? String(address?.port) : '';

    const base = await cli.run(['service', 'mock', '--port', port]);
    const app = await cli.run(['service', 'mock', '--app-port', port]);
    taken.close();

    const stderr =
      `hookbell: Cannot listen on port ${port}: it is in use\n` +
      '  Choose another one with --port or --app-port, or omit it for a free port\n';
    assert.deepEqual(
      [base, app],
      [
        { code: 1, stdout: '', stderr },
        { code: 1, stdout: '', stderr },
      ],
    );
  });

  for (const words of [
    ['--port', '65536'],
    ['--port', 'http'],
    ['--seed', '-1'],
    ['--scenario', 'nothing'],
    ['nonsense'],
  ]) {
    test(`refuses "${words.join(' ')}" with code 2`, async () => {
      await using cli = await commandLine();

      const { code, stdout, stderr } = await cli.run(['service', 'mock', ...words]);

      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^hookbell: /);
    });
  }

  test('scenarios lists every one with what happens', async () => {
    await using cli = await commandLine();

    const { stdout } = await cli.run(['service', 'mock', 'scenarios', '--json']);

    const listed: readonly { readonly name: string; readonly what: string }[] = JSON.parse(stdout);
    assert.deepEqual(
      listed.map(({ name }) => name),
      [...SCENARIO_NAMES],
    );
    assert.ok(listed.every(({ what }) => what.length > 10));
  });
});

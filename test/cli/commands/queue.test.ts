import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ControlRoutes } from '../../../src/control/control-server.ts';
import { commandLine } from '../../support/command-line.ts';
import { sampleDeliveryView } from '../../support/sample-views.ts';

/** A route that responds with `count` and records the requests. */
function counting(count: number) {
  const asked: unknown[] = [];
  const route: ControlRoutes['POST /v1/queue-retry'] = ({ body }) => {
    asked.push(body);
    return Promise.resolve({ count });
  };
  return { asked, route };
}

describe('hookbell queue', () => {
  test('lists what is not sent, with an id that is short enough to type (B13)', async () => {
    await using cli = await commandLine();
    await cli.serve({
      'GET /v1/queue': () =>
        Promise.resolve([sampleDeliveryView(), sampleDeliveryView({ state: 'pending' })]),
    });

    const { code, stdout } = await cli.run(['queue']);

    const [, dead = '', pending = ''] = stdout.split('\n');
    assert.match(dead, /^0190a5e0 +team +dead +8 +- +f3a1c2d4 +Slack /);
    assert.match(pending, / pending +8 +2026-03-01 10:05:00 /);
    assert.equal(code, 0);
  });

  test('--json prints what the daemon answers, asked with states and limit', async () => {
    await using cli = await commandLine();
    const asked: unknown[] = [];
    const queue = [sampleDeliveryView()];
    await cli.serve({
      'GET /v1/queue': ({ query }) => {
        asked.push(Object.fromEntries(query));
        return Promise.resolve(queue);
      },
    });

    const { stdout } = await cli.run('queue --state dead,retrying --limit 3 --json'.split(' '));
    await cli.run(['queue', 'list']);

    assert.deepEqual(JSON.parse(stdout), queue);
    assert.deepEqual(asked, [{ state: 'dead,retrying', limit: '3' }, {}]);
  });

  test('retry sends the named ones again', async () => {
    await using cli = await commandLine();
    const { asked, route } = counting(2);
    await cli.serve({ 'POST /v1/queue-retry': route });

    const ended = await cli.run(['queue', 'retry', 'a', 'b']);

    assert.deepEqual(asked, [{ ids: ['a', 'b'] }]);
    assert.deepEqual(ended, { code: 0, stdout: '', stderr: '2 deliveries to be sent again\n' });
  });

  test('drop --all gives up everything, and --json counts it', async () => {
    await using cli = await commandLine();
    const { asked, route } = counting(0);
    await cli.serve({ 'POST /v1/queue-drop': route });

    const { code, stdout } = await cli.run(['queue', 'drop', '--all', '--json']);

    assert.deepEqual(asked, [{ all: true }]);
    assert.deepEqual(JSON.parse(stdout), { count: 0 });
    assert.equal(code, 0);
  });

  test('some unknown ids end with 8, only unknown ones with 6', async () => {
    await using cli = await commandLine();
    await cli.serve({
      'POST /v1/queue-retry': counting(1).route,
      'POST /v1/queue-drop': counting(0).route,
    });

    const some = await cli.run(['queue', 'retry', 'a', 'b']);
    assert.equal(some.code, 8);
    assert.match(some.stderr, /^1 delivery \w.*, 1 cannot be changed; "hookbell queue"/);
    assert.equal((await cli.run(['queue', 'drop', 'a', 'b'])).code, 6);
  });

  for (const words of [['retry'], ['drop'], ['retry', 'a', '--all']]) {
    test(`"queue ${words.join(' ')}" is refused with 2: it does not say which`, async () => {
      await using cli = await commandLine();

      const { code, stderr } = await cli.run(['queue', ...words]);

      assert.equal(code, 2);
      assert.match(stderr, /Specify either delivery ids or --all/);
    });
  }
});

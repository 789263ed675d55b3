import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { AlertView } from '../../../src/control/contract-views.ts';
import type { ControlRoutes } from '../../../src/control/control-server.ts';
import type { CommandLine } from '../../support/command-line.ts';
import { commandLine } from '../../support/command-line.ts';
import { sampleAlertView } from '../../support/sample-views.ts';

/** A daemon with these alerts that acknowledges `count` of them; returns the requested acknowledgements. */
async function serveAlerts(
  cli: CommandLine,
  alerts: readonly AlertView[],
  count: number,
): Promise<readonly unknown[]> {
  const asked: unknown[] = [];
  const acknowledge: ControlRoutes['POST /v1/ack'] = ({ body }) => {
    asked.push(body);
    return Promise.resolve({ count });
  };
  await cli.serve({
    'GET /v1/alerts': () => Promise.resolve(alerts),
    'POST /v1/ack': acknowledge,
  });
  return asked;
}

describe('hookbell ack', () => {
  test('acknowledges the one alert that is open, whatever was acknowledged before', async () => {
    await using cli = await commandLine();
    const seen = sampleAlertView({ session: 'droid:s2', state: 'acknowledged' });
    const asked = await serveAlerts(cli, [seen, sampleAlertView()], 1);

    const ended = await cli.run(['ack']);

    assert.deepEqual(ended, { code: 0, stdout: '', stderr: '1 acknowledged\n' });
    assert.deepEqual(asked, [{ session: 'claude:s1' }]);
  });

  test('with several open ones lists them, ends with 2, says what to do and does nothing', async () => {
    await using cli = await commandLine();
    const alerts = [sampleAlertView(), sampleAlertView({ session: 'droid:s2', kind: 'turn.done' })];
    const asked = await serveAlerts(cli, alerts, 2);

    const { code, stdout, stderr } = await cli.run(['ack']);
    const json = await cli.run(['ack', '--json']);

    assert.match(stdout, /^SESSION +SINCE +KIND +PLAN\ns1 +.* +needs.permission +escalate\n/);
    assert.match(stdout, /^s2 .* turn.done /m);
    assert.match(
      stderr,
      /^hookbell: 2 alerts are open\n {2}Run "hookbell ack SESSION".*"hookbell ack --all"\n$/,
    );
    assert.deepEqual(JSON.parse(json.stdout), alerts);
    assert.deepEqual([code, json.code], [2, 2]);
    assert.deepEqual(asked, []);
  });

  test('with none open asks for nothing and ends well', async () => {
    await using cli = await commandLine();
    const asked = await serveAlerts(cli, [], 0);

    assert.deepEqual(await cli.run(['ack']), { code: 0, stdout: '', stderr: 'No open alerts\n' });
    assert.deepEqual(JSON.parse((await cli.run(['ack', '--json'])).stdout), { count: 0 });
    assert.deepEqual(asked, []);
  });

  test('takes a session or --all, and --json answers the count', async () => {
    await using cli = await commandLine();
    const asked = await serveAlerts(cli, [], 3);

    const { stdout } = await cli.run(['ack', 's1', '--json']);
    const all = await cli.run(['ack', '--all']);
    const both = await cli.run(['ack', 's1', '--all']);

    assert.deepEqual(JSON.parse(stdout), { count: 3 });
    assert.deepEqual(asked, [{ session: 's1' }, { all: true }]);
    assert.equal(all.stderr, '3 acknowledged\n');
    assert.equal(both.code, 2);
  });

  test('a session without an open alert ends with 6', async () => {
    await using cli = await commandLine();
    await serveAlerts(cli, [], 0);

    const { code, stderr } = await cli.run(['ack', 's1']);

    assert.match(stderr, /Session "s1" has no open alert\n {2}Run "hookbell sessions"/);
    assert.equal(code, 6);
  });
});

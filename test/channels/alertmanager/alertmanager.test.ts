import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import alertmanager from '../../../src/channels/alertmanager/index.ts';
import { parseOptions } from '../../../src/config/problem.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { sampleNotification } from '../../support/sample.ts';
import { channelConformance, seededSecret, send } from '../conformance.ts';
import { httpConformance } from '../http-conformance.ts';
import { alertOf, createAlertmanager, openAlertmanagerStage } from './alertmanager-stage.ts';

channelConformance(alertmanager, openAlertmanagerStage);
// The suite's 200 comes with a text, which Alertmanager never sends.
httpConformance('alertmanager', openAlertmanagerStage, {
  200: 'failed',
  403: 'broken',
  404: 'broken',
});

async function alertFor(
  fields: Partial<Notification>,
  options: Record<string, unknown> = {},
): Promise<ReturnType<typeof alertOf>> {
  await using stage = await openAlertmanagerStage(options);
  await send(stage, sampleNotification(fields));
  return alertOf(stage.endpoint.requests[0]);
}

/** Minutes from the start of an alert to its end. */
async function lengthOf(fields: Partial<Notification>): Promise<number> {
  const { startsAt, endsAt } = await alertFor(fields);
  return (Date.parse(endsAt) - Date.parse(startsAt)) / 60_000;
}

describe('alertmanager', () => {
  test('labels are the same for each message about one request, whatever its text says', async () => {
    const first = await alertFor({ alertId: 'a1', title: 'one', body: 'one' });
    const again = await alertFor({
      alertId: 'a1',
      title: 'two',
      body: 'two',
      possibleDuplicate: true,
    });
    const other = await alertFor({ alertId: 'a2' });

    assert.deepEqual(first.labels, again.labels);
    assert.notDeepEqual(first.labels, other.labels);
    assert.deepEqual(first.annotations, { summary: 'one', description: 'one' });
  });

  test('labels are short and on one line, and empty ones are left out', async () => {
    const { labels } = await alertFor({ project: `a\n${'b'.repeat(500)}`, sessionId: null });

    assert.equal(labels['session'], undefined);
    assert.match(labels['project'] ?? '', /^a b{120,126}…$/);
    assert.equal(labels['severity'], 'warning');
    assert.equal(labels['host'], 'devbox');
  });

  test('labels of the configuration are added, and cannot replace those of hookbell', async () => {
    const { labels } = await alertFor({}, { labels: { team: 'payments' } });
    const { error } = alertmanager.options.safeParse(
      { url: 'https://am.test', labels: { severity: 'critical' } },
      parseOptions,
    );

    assert.equal(labels['team'], 'payments');
    assert.match(error?.issues[0]?.message ?? '', /^is not valid$/);
  });

  test('an alert states its end, so that it outlives the resolve_timeout of Alertmanager', async () => {
    assert.equal(await lengthOf({ alertId: 'a1' }), 12 * 60);
    assert.equal(await lengthOf({}), 5);
  });

  test('withdraw() ends the alert with the same labels, at the latest now', async () => {
    await using stage = await openAlertmanagerStage();
    const at = 1_700_000_000_000 - 60_000;
    const outcome = await send(stage, sampleNotification({ alertId: 'a1', at }));
    assert.ok(outcome.type === 'delivered' && outcome.ref !== undefined);

    const ended = await stage.channel.withdraw?.(outcome.ref, sendContext());

    assert.equal(ended?.type, 'delivered');
    const [posted, over] = stage.endpoint.requests.map(alertOf);
    assert.deepEqual(over?.labels, posted?.labels);
    assert.equal(over?.endsAt, '2023-11-14T22:13:20.000Z');
  });

  test('a damaged reference is refused instead of guessed', async () => {
    await using stage = await openAlertmanagerStage();

    const outcome = await stage.channel.withdraw?.('{', sendContext());

    assert.equal(outcome?.type, 'failed');
    assert.deepEqual(stage.endpoint.requests, []);
  });

  for (const [options, header] of [
    [{ token: seededSecret }, `Bearer ${seededSecret}`],
    [{ token: undefined, username: 'ada', password: 'pw' }, 'Basic YWRhOnB3'],
    [{ token: undefined }, undefined],
  ] as const) {
    test(`sends "${String(header).split(' ')[0]}" as authorization`, async () => {
      await using stage = await openAlertmanagerStage(options);
      await send(stage, sampleNotification());

      assert.equal(stage.endpoint.requests[0]?.headers.authorization, header);
    });
  }

  for (const [options, fault] of [
    [{ url: 'am.example.com' }, 'is not a URL'],
    [{ url: 'http://am.example.com:9093' }, /is not https/],
    [{ url: 'https://a:b@am.example.com' }, 'contains a user name or password'],
    [{ url: 'https://am.example.com/?a=b' }, 'has a query or a fragment'],
    [{ url: 'https://am.example.com', username: 'ada' }, 'needs both a name and a password'],
    [
      { url: 'https://am.example.com', username: 'ada', password: 'pw', token: 't' },
      /excludes "username"/,
    ],
  ] as const) {
    test(`refuses ${JSON.stringify(options)}`, () => {
      const { error } = alertmanager.options.safeParse(options, parseOptions);

      assert.match(
        error?.issues[0]?.message ?? '',
        fault instanceof RegExp ? fault : RegExp(fault),
      );
    });
  }

  test('http to another machine needs allow_http', async () => {
    const url = 'http://am.example.com:9093';

    const channel = await createAlertmanager({ url, allow_http: true });

    await channel.close();
  });
});

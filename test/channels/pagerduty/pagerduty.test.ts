import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';

import pagerduty from '../../../src/channels/pagerduty/index.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import type { ReceivedRequest } from '../../support/http-endpoint.ts';
import { sampleNotification } from '../../support/sample.ts';
import { channelConformance, seededSecret, send } from '../conformance.ts';
import { answered, httpConformance } from '../http-conformance.ts';
import {
  createChannel,
  everyStatus,
  type FakeService,
  openServiceStage,
  parseBody,
} from '../service-stage.ts';

const routingKey = `${seededSecret}-1234567`;

/** https://developer.pagerduty.com/docs/send-alert-event, and the size of https://developer.pagerduty.com/docs/events-api-v2-overview */
const event = z.discriminatedUnion('event_action', [
  z.strictObject({
    routing_key: z.string().length(32),
    event_action: z.literal('trigger'),
    dedup_key: z.string().min(1).max(255),
    client: z.string(),
    payload: z.strictObject({
      summary: z.string().min(1).max(1_024),
      source: z.string().min(1),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime(),
      component: z.string().optional(),
      group: z.string().optional(),
      class: z.string().optional(),
      custom_details: z.record(z.string(), z.string()),
    }),
  }),
  z.strictObject({
    routing_key: z.string().length(32),
    event_action: z.enum(['acknowledge', 'resolve']),
    dedup_key: z.string().min(1).max(255),
  }),
]);
const MAX_BYTES = 512 * 1_024;

const fake: FakeService = {
  definition: pagerduty,
  options: (url) => ({ routing_key: routingKey, server: url }),
  reply(request) {
    const { data } = parseBody(event, request);
    if (data === undefined || Buffer.byteLength(request.body) > MAX_BYTES) {
      return {
        status: 400,
        body: '{"status":"invalid event","message":"Event object is invalid"}',
      };
    }
    return {
      status: 202,
      body: JSON.stringify({
        status: 'success',
        message: 'Event processed',
        dedup_key: data.dedup_key,
      }),
    };
  },
  arrivalOf(request) {
    const { payload, ...rest } = triggerOf(request);
    const { summary, custom_details: details } = payload;
    return {
      shown: `${summary}\n${details['text']}`,
      shape: JSON.stringify([Object.keys(rest), Object.keys(payload), Object.keys(details)]),
    };
  },
  revoked: {
    status: 400,
    body: `{"status":"invalid event","message":"Invalid routing key ${routingKey}","errors":["Invalid routing key"]}`,
  },
};

function triggerOf(request: ReceivedRequest | undefined) {
  const { data } = parseBody(event, request);
  assert.ok(data?.event_action === 'trigger', request?.body);
  return data;
}

const open = () => openServiceStage(fake);
channelConformance(pagerduty, open);
httpConformance('pagerduty', open, {
  ...everyStatus(200, 'retry'),
  200: 'failed',
  403: 'broken',
  404: 'broken',
});

async function triggerFor(fields: Partial<Notification>): Promise<ReturnType<typeof triggerOf>> {
  await using stage = await open();
  await send(stage, sampleNotification(fields));
  return triggerOf(stage.endpoint.requests[0]);
}

describe('pagerduty', () => {
  test('messages about one alert have one deduplication key, which shows nothing of it', async () => {
    const first = await triggerFor({ alertId: 'secret-project', body: 'one' });
    const again = await triggerFor({ alertId: 'secret-project', body: 'two' });
    const other = await triggerFor({ alertId: 'another' });

    assert.equal(first.dedup_key, again.dedup_key);
    assert.notEqual(first.dedup_key, other.dedup_key);
    assert.match(first.dedup_key, /^hookbell-[0-9a-f]{32}$/);
  });

  test('the summary says what is asked, and the severity follows that of the notification', async () => {
    const { payload } = await triggerFor({
      title: 'shop needs permission',
      body: 'Run: npm publish\nin /home/dev/shop',
      severity: 'critical',
    });

    assert.equal(payload.summary, 'shop needs permission · Run: npm publish · in /home/dev/shop');
    assert.equal(payload.severity, 'critical');
    assert.equal(payload.source, 'ada@devbox');
  });

  test('withdraw() resolves the incident, and a damaged reference is refused', async () => {
    await using stage = await open();
    const outcome = await send(stage, sampleNotification({ alertId: 'a1' }));
    assert.ok(outcome.type === 'delivered' && outcome.ref !== undefined);

    const resolved = await stage.channel.withdraw?.(outcome.ref, sendContext());
    const damaged = await stage.channel.withdraw?.('hookbell-', sendContext());

    assert.equal(resolved?.type, 'delivered');
    assert.equal(damaged?.type, 'failed');
    const [trigger, resolve, ...more] = stage.endpoint.requests.map(
      (request) => parseBody(event, request).data,
    );
    assert.deepEqual(more, []);
    assert.equal(resolve?.event_action, 'resolve');
    assert.equal(resolve?.dedup_key, trigger?.dedup_key);
  });

  test('an acknowledged alert acknowledges the incident, found by its alert if no reference was stored', async () => {
    await using stage = await open();
    const { channel } = stage;
    const notification = sampleNotification({ alertId: 'a1' });
    const outcome = await send(stage, notification);
    const found = await channel.find?.(notification, sendContext());
    assert.ok(outcome.type === 'delivered' && found?.type === 'delivered');
    assert.equal(found.ref, outcome.ref);

    const marked = await channel.markAcknowledged?.(found.ref ?? '', notification, sendContext());
    const damaged = await channel.markAcknowledged?.('x', notification, sendContext());

    assert.deepEqual([marked?.type, damaged?.type], ['delivered', 'failed']);
    const [trigger, acknowledge, ...more] = stage.endpoint.requests.map(
      (request) => parseBody(event, request).data,
    );
    assert.deepEqual(more, []);
    assert.equal(acknowledge?.event_action, 'acknowledge');
    assert.equal(acknowledge?.dedup_key, trigger?.dedup_key);
  });

  test('a refused routing key stops the channel, another refusal only the message', async () => {
    await using stage = await open();

    const revoked = await answered(stage, fake.revoked);
    const invalid = await answered(stage, { status: 400, body: '{"status":"invalid event"}' });

    assert.deepEqual(revoked, {
      type: 'failed',
      reason: 'Cannot deliver to PagerDuty: it answered 400: it refuses the routing key',
      channelBroken: true,
    });
    assert.deepEqual(invalid, {
      type: 'failed',
      reason: 'Cannot deliver to PagerDuty: it answered 400',
    });
  });

  test('is not created with a key that is none, and does not show it', async () => {
    const creating = createChannel(pagerduty, { routing_key: seededSecret });

    await assert.rejects(creating, (error: Error) => {
      assert.match(error.message, /is not an integration key of 32 characters/);
      return !error.message.includes(seededSecret);
    });
  });
});

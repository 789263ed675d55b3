import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Channel } from '../../src/core/channel.ts';
import { delivered } from '../../src/core/outcome.ts';
import { withBodyDetail } from '../../src/daemon/body-detail.ts';
import { sampleNotification } from '../support/sample.ts';
import { sendContext } from '../support/channel-dependencies.ts';

function recorder(): Channel & { readonly bodies: string[] } {
  const bodies: string[] = [];
  return {
    bodies,
    abilities: { replace: false, withdraw: false, update: false },
    send: ({ body }) => {
      bodies.push(body);
      return Promise.resolve(delivered());
    },
    check: () => Promise.resolve({ ok: true, summary: 'here' }),
    close: () => Promise.resolve(),
  };
}

const notification = sampleNotification({
  eventId: '0123456789abcdef',
  body: `${'long '.repeat(100)}\nsecond line`,
});

test('withBodyDetail() "full" shows everything', async () => {
  const channel = recorder();

  await withBodyDetail(channel, 'full').send(notification, sendContext());

  assert.equal(channel.bodies[0], notification.body);
});

test('withBodyDetail() "summary" shows the first line, cut', async () => {
  const channel = recorder();

  await withBodyDetail(channel, 'summary').send(notification, sendContext());

  const [body = ''] = channel.bodies;
  assert.ok(body.length <= 140 && body.endsWith('…') && !body.includes('second'));
});

test('withBodyDetail() "none" shows none of the text and says how to see it', async () => {
  const channel = recorder();

  await withBodyDetail(channel, 'none').send(notification, sendContext());

  assert.equal(channel.bodies[0], 'hookbell explain 01234567');
});

test('withBodyDetail() keeps what else the channel can do', async () => {
  const channel = recorder();
  const wrapped = withBodyDetail(channel, 'none');

  assert.equal('update' in wrapped, false);
  assert.equal((await wrapped.check(AbortSignal.timeout(1_000))).summary, 'here');
});

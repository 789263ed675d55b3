import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { sendContext } from '../../support/channel-dependencies.ts';
import { openEmail } from '../../support/email-channel.ts';
import { sampleNotification } from '../../support/sample.ts';
import { startFaultySmtp } from '../../support/smtp-faults.ts';

test('email: one recipient of two refused for good is delivered with a note (P23, fault 37)', async () => {
  await using server = await startFaultySmtp({ faults: { 'b@x.test': 550 } });
  await using channel = await openEmail(server.port);

  const outcome = await channel.send(sampleNotification(), sendContext());

  assert.deepEqual(outcome, { type: 'delivered', note: '1 of 2 recipients refused: b@x.test' });
  assert.deepEqual(
    server.takeMails().map(({ to }) => to),
    [['a@x.test']],
  );
});

test('email: only the recipients put off are tried again, and a refusal is not forgotten (P23)', async () => {
  await using server = await startFaultySmtp({ faults: { 'b@x.test': 451, 'c@x.test': 550 } });
  await using channel = await openEmail(server.port, { to: ['a@x.test', 'b@x.test', 'c@x.test'] });
  const notification = sampleNotification();

  const first = await channel.send(notification, sendContext());
  const carry = first.type === 'retry' ? (first.carry ?? null) : null;
  server.setFaults({});
  const second = await channel.send(notification, sendContext({ carry, attempt: 2 }));

  assert.equal(first.type, 'retry');
  assert.equal(
    first.type === 'retry' && first.reason,
    'The mail server deferred b@x.test ("451 injected")',
  );
  assert.deepEqual(second, { type: 'delivered', note: '1 of 3 recipients refused: c@x.test' });
  const mails = server.takeMails();
  assert.deepEqual(
    mails.map(({ to }) => to),
    [['a@x.test'], ['b@x.test']],
  );
  const headers = await Promise.all(mails.map(({ raw }) => PostalMime.parse(raw)));
  assert.equal(headers[0]?.messageId, headers[1]?.messageId);
});

test('email: all recipients put off or refused is a retry for those put off (P23)', async () => {
  await using server = await startFaultySmtp({ faults: { 'a@x.test': 550, 'b@x.test': 450 } });
  await using channel = await openEmail(server.port);

  const outcome = await channel.send(sampleNotification(), sendContext());

  assert.equal(outcome.type, 'retry');
  assert.deepEqual(outcome.type === 'retry' && JSON.parse(outcome.carry ?? ''), {
    left: ['b@x.test'],
    refused: ['a@x.test'],
  });
  assert.deepEqual(server.takeMails(), []);
});

test('email: every recipient refused is final (fault 37)', async () => {
  await using server = await startFaultySmtp({ faults: { 'a@x.test': 550, 'b@x.test': 553 } });
  await using channel = await openEmail(server.port);

  assert.deepEqual(await channel.send(sampleNotification(), sendContext()), {
    type: 'failed',
    reason: 'The mail server refused every recipient: a@x.test ("550 injected") and 1 more',
  });
});

test('email: trouble of another kind keeps the recipients left', async () => {
  await using server = await startFaultySmtp({ faults: { mail: 451 } });
  await using channel = await openEmail(server.port);
  const carry = JSON.stringify({ left: ['b@x.test'], refused: [] });

  const outcome = await channel.send(sampleNotification(), sendContext({ carry, attempt: 2 }));

  assert.equal(outcome.type, 'retry');
  assert.equal(outcome.type === 'retry' && outcome.carry, carry);
});

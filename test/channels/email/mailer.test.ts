import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import email from '../../../src/channels/email/index.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { login, openEmail } from '../../support/email-channel.ts';
import { sampleNotification } from '../../support/sample.ts';
import {
  startDrippingSmtp,
  startFaultySmtp,
  startFloodingSmtp,
} from '../../support/smtp-faults.ts';
import type { Arrival, Stage } from '../conformance.ts';
import { channelConformance, seededSecret } from '../conformance.ts';

channelConformance(email, async (): Promise<Stage> => {
  const server = await startFaultySmtp({ complaint: (password) => `you said ${password}` });
  const channel = await openEmail(server.port, {
    smtp: { user: 'robot', password: seededSecret },
  });
  return {
    channel,
    arrivals: () => Promise.all(server.takeMails().map(({ raw }) => arrivalOf(raw))),
    hang: () => {
      server.setFaults({ data: 'hang' });
      return { reached: server.hung() };
    },
    break: () => {
      server.setFaults({ mail: 550, auth: 535 });
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      await channel.close();
      await server[Symbol.asyncDispose]();
    },
  };
});

async function arrivalOf(raw: Buffer): Promise<Arrival> {
  const { subject = '', text = '', html = '', attachments, to } = await PostalMime.parse(raw);
  const names = /^[^]*?\r\n\r\n/.exec(raw.toString('latin1'))?.[0].match(/^[\w-]+(?=:)/gm);
  const tags = html.match(/<[^>]*>/g)?.filter((tag) => tag !== '<br>');
  return {
    shown: `${subject}\n${text}`,
    shape: JSON.stringify([names, tags, attachments.length, to]),
  };
}

test('email: all recipients get one mail, over one connection for several', async () => {
  await using server = await startFaultySmtp();
  await using channel = await openEmail(server.port);

  await channel.send(sampleNotification(), sendContext());
  await channel.send(sampleNotification(), sendContext());

  const mails = server.takeMails();
  assert.deepEqual(
    mails.map(({ to }) => to),
    [
      ['a@x.test', 'b@x.test'],
      ['a@x.test', 'b@x.test'],
    ],
  );
  assert.equal(server.connections(), 1);
});

for (const { name, from, smtp, address, sender } of [
  {
    name: '"from"',
    from: 'Bell <bell@x.test>',
    smtp: { user: 'me@y.test', password: 'p' },
    address: 'bell@x.test',
    sender: 'Bell',
  },
  {
    name: 'the login name if it is an address',
    smtp: { user: 'me@y.test', password: 'p' },
    address: 'me@y.test',
    sender: 'hookbell',
  },
  { name: 'else the first recipient', smtp: login, address: 'a@x.test', sender: 'hookbell' },
]) {
  test(`email: the sender is ${name}`, async () => {
    await using server = await startFaultySmtp();
    await using channel = await openEmail(server.port, { smtp, ...(from && { from }) });

    await channel.send(sampleNotification(), sendContext());

    const [mail] = server.takeMails();
    const parsed = await PostalMime.parse(mail?.raw ?? '');
    assert.equal(mail?.from, address);
    assert.deepEqual(parsed.from, { name: sender, address });
  });
}

for (const [phase, code, type] of [
  ['connect', 421, 'retry'],
  ['connect', 554, 'failed'],
  ['auth', 454, 'retry'],
  ['auth', 535, 'failed'],
  ['mail', 450, 'retry'],
  ['mail', 550, 'failed'],
  ['mail', 503, 'retry'],
  ['data', 451, 'retry'],
  ['data', 552, 'failed'],
] as const) {
  test(`email: ${code} at ${phase} is ${type} and no possible duplicate (P22, fault 37)`, async () => {
    await using server = await startFaultySmtp({ faults: { [phase]: code } });
    await using channel = await openEmail(server.port, { smtp: login });

    const outcome = await channel.send(sampleNotification(), sendContext());

    assert.equal(outcome.type, type, JSON.stringify(outcome));
    assert.equal('possibleDuplicate' in outcome, false);
    assert.equal('channelBroken' in outcome, phase === 'auth' && code === 535);
  });
}

test('email: a refused login breaks the channel and says what to check (P22)', async () => {
  await using server = await startFaultySmtp({ faults: { auth: 535 } });
  await using channel = await openEmail(server.port, { smtp: login });

  const outcome = await channel.send(sampleNotification(), sendContext());

  assert.deepEqual(outcome, {
    type: 'failed',
    reason:
      'The mail server refused the login (535). Check smtp.user and smtp.password; some providers require an app password',
    channelBroken: true,
  });
});

test('email: a login is never skipped, even when the server offers none', async () => {
  await using server = await startFaultySmtp();
  await using channel = await openEmail(server.port, { smtp: login });

  await channel.send(sampleNotification(), sendContext());

  assert.deepEqual(server.logins(), ['robot:s3cret']);
});

for (const phase of ['connect', 'mail', 'a@x.test'] as const) {
  test(`email: a connection cut at ${phase} is retried and no possible duplicate (fault 37)`, async () => {
    await using server = await startFaultySmtp({ faults: { [phase]: 'drop' } });
    await using channel = await openEmail(server.port);

    const outcome = await channel.send(sampleNotification(), sendContext());

    assert.equal(outcome.type, 'retry');
    assert.equal('possibleDuplicate' in outcome, false);
    assert.deepEqual(server.takeMails(), []);
  });
}

test('email: cut after the whole message is a possible duplicate, with the same Message-ID (fault 37, P22)', async () => {
  await using server = await startFaultySmtp({ faults: { data: 'drop' } });
  await using channel = await openEmail(server.port);
  const notification = sampleNotification();

  const lost = await channel.send(notification, sendContext());
  server.setFaults({});
  const again = await channel.send(
    { ...notification, possibleDuplicate: true },
    sendContext({ attempt: 2 }),
  );

  assert.equal(lost.type, 'retry');
  assert.equal(lost.type === 'retry' && lost.possibleDuplicate, true);
  assert.deepEqual(again, { type: 'delivered' });
  const [first, second, ...more] = await Promise.all(
    server.takeMails().map(({ raw }) => PostalMime.parse(raw)),
  );
  assert.deepEqual(more, []);
  assert.equal(first?.messageId, `<${notification.deliveryId}@hookbell.invalid>`);
  assert.equal(second?.messageId, first?.messageId);
  assert.match(second?.text ?? '', /You may already have this message/);
});

test('email: silence after the whole message ends at the deadline as a possible duplicate (fault 37)', async () => {
  await using server = await startFaultySmtp({ faults: { data: 'hang' } });
  await using channel = await openEmail(server.port);
  const deadline = new AbortController();

  const outcome = channel.send(sampleNotification(), sendContext({ signal: deadline.signal }));
  await server.hung();
  deadline.abort();

  assert.deepEqual(await outcome, {
    type: 'retry',
    reason: `The mail server "127.0.0.1:${server.port}" did not finish in time`,
    possibleDuplicate: true,
  });
});

for (const { phase, after } of [
  { phase: 'greeting', after: [] },
  { phase: 'answer to EHLO', after: ['220 x.test'] },
  { phase: 'answer to MAIL FROM', after: ['220 x.test', '250 x.test'] },
]) {
  test(`email: a server that drips its ${phase} is left at the deadline (P21, fault 33)`, async () => {
    await using server = await startDrippingSmtp(after);
    await using channel = await openEmail(server.port);
    const deadline = new AbortController();

    const outcome = channel.send(sampleNotification(), sendContext({ signal: deadline.signal }));
    await server.dripping();
    deadline.abort();

    assert.equal((await outcome).type, 'retry');
    await server.left();
  });
}

test('email: an answer without an end is not read to its end (fault 33)', async () => {
  await using server = await startFloodingSmtp();
  await using channel = await openEmail(server.port);

  const outcome = await channel.send(sampleNotification(), sendContext());

  assert.equal(outcome.type, 'retry');
  assert.ok(server.flooded() < 50_000_000, `it took ${server.flooded()} bytes`);
});

test('email: a connection the server dropped while idle costs nothing (P28)', async () => {
  await using server = await startFaultySmtp();
  await using channel = await openEmail(server.port);
  await channel.send(sampleNotification(), sendContext());

  server.dropConnections();
  const outcome = await channel.send(sampleNotification(), sendContext());

  assert.deepEqual(outcome, { type: 'delivered' });
  assert.equal(server.takeMails().length, 2);
});

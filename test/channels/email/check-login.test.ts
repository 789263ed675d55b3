import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendContext } from '../../support/channel-dependencies.ts';
import { login, openEmail } from '../../support/email-channel.ts';
import { startDrippingSmtp, startFaultySmtp } from '../../support/smtp-faults.ts';

test('email: check() logs in without sending, and its words help when it cannot', async () => {
  await using server = await startFaultySmtp();
  await using channel = await openEmail(server.port, { smtp: login });
  await using open = await openEmail(server.port);
  const { signal } = sendContext();
  const place = `"127.0.0.1:${server.port}"`;

  assert.deepEqual(await channel.check(signal), {
    ok: true,
    summary: `Mail server ${place} accepts the login, unencrypted`,
  });
  assert.deepEqual(await open.check(signal), {
    ok: true,
    summary: `Mail server ${place} answers, no login configured, unencrypted`,
  });
  server.setFaults({ auth: 535 });
  const refused = await channel.check(signal);

  assert.equal(refused.ok, false);
  assert.match(refused.hint ?? '', /smtp\.user and smtp\.password/);
  assert.deepEqual(server.takeMails(), []);
});

test('email: check() leaves a dripping server when its signal fires (P21)', async () => {
  await using server = await startDrippingSmtp();
  await using channel = await openEmail(server.port);
  const deadline = new AbortController();

  const check = channel.check(deadline.signal);
  await server.dripping();
  deadline.abort();

  assert.equal((await channel.check(deadline.signal)).ok, false);
  assert.deepEqual(await check, {
    ok: false,
    summary: `Mail server "127.0.0.1:${server.port}" did not answer in time`,
  });
  await server.left();
});

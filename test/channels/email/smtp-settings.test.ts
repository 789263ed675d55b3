import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailOptions } from '../../../src/channels/email/email-options.ts';
import { smtpSettings } from '../../../src/channels/email/smtp-settings.ts';
import { ConfigError } from '../../../src/platform/errors.ts';
import { channelDependencies, sendContext } from '../../support/channel-dependencies.ts';
import { login, openEmail } from '../../support/email-channel.ts';
import { sampleNotification } from '../../support/sample.ts';
import { startFaultySmtp } from '../../support/smtp-faults.ts';

test('email: a server without STARTTLS gets nothing, not even the login (P26, fault 37)', async () => {
  await using server = await startFaultySmtp();
  await using channel = await openEmail(server.port, { smtp: { starttls: 'required', ...login } });

  const outcome = await channel.send(sampleNotification(), sendContext());

  assert.equal(outcome.type, 'failed');
  assert.match(JSON.stringify(outcome), /refuses STARTTLS/);
  const check = await channel.check(sendContext().signal);
  assert.match(JSON.stringify(check), /refuses STARTTLS.*set smtp\.port 465\..*starttls: never/);
  assert.deepEqual(server.logins(), []);
  assert.deepEqual(server.takeMails(), []);
});

for (const tls of ['starttls', 'from the start'] as const) {
  test(`email: a self-signed certificate is refused with a hint, TLS ${tls} (P22, fault 33)`, async () => {
    await using server = await startFaultySmtp({ tls });
    await using channel = await openEmail(server.port, {
      smtp: { starttls: 'required', secure: tls === 'from the start', ...login },
    });

    // A variable of the environment does not change that (D4).
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    const outcome = await channel.send(sampleNotification(), sendContext());
    const check = await channel.check(sendContext().signal);
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];

    assert.equal(outcome.type, 'failed');
    assert.match(JSON.stringify(outcome), /is not trusted \(\w+\)\. Set smtp\.ca_file/);
    assert.equal(check.ok, false);
    assert.match(check.hint ?? '', /smtp\.ca_file/);
    assert.deepEqual(server.logins(), []);
  });
}

test('email: TLS from the start on a plain port is final and names the options (P22)', async () => {
  await using server = await startFaultySmtp();
  await using channel = await openEmail(server.port, { smtp: { secure: true } });

  const outcome = await channel.send(sampleNotification(), sendContext());

  assert.equal(outcome.type, 'failed');
  assert.match(JSON.stringify(outcome), /smtp\.secure and smtp\.port do not match/);
});

test('email: a closed port and an unknown host are retried (fault 33)', async () => {
  const server = await startFaultySmtp();
  const { port } = server;
  await server[Symbol.asyncDispose]();
  await using refused = await openEmail(port);
  await using nowhere = await openEmail(port, { smtp: { host: 'nowhere.invalid' } });

  assert.deepEqual(await refused.send(sampleNotification(), sendContext()), {
    type: 'retry',
    reason: `Cannot talk to the mail server "127.0.0.1:${port}" (ECONNREFUSED)`,
  });
  assert.deepEqual(await nowhere.send(sampleNotification(), sendContext()), {
    type: 'retry',
    reason: 'Cannot find the address of the mail server "nowhere.invalid"',
  });
});

for (const { name, smtp, message } of [
  {
    name: 'a missing file of authorities',
    smtp: { ca_file: 'missing.pem' },
    message: 'Cannot read smtp.ca_file "/nonexistent/config/missing.pem"',
  },
  {
    name: 'a file without an authority in it',
    smtp: { ca_file: '/etc/hostname' },
    message: 'Cannot use smtp.ca_file "/etc/hostname": it contains no PEM certificate',
  },
]) {
  test(`email: ${name} is an error of the configuration`, async () => {
    await assert.rejects(openEmail(1, { smtp }), new ConfigError(message));
  });
}

test('email: a password that cannot be read is reported immediately', async () => {
  const smtp = { user: 'me', password: { env: 'SMTP_PASSWORD' } };

  await assert.rejects(openEmail(1, { smtp }), /no secrets/);
});

test('smtpSettings() bounds each of the four silences by 5 to 10 s (P20)', async () => {
  const { smtp } = emailOptions.parse({ to: ['me@example.com'], smtp: { host: 'smtp.test' } });

  const { dnsTimeout, connectionTimeout, greetingTimeout, socketTimeout } = await smtpSettings(
    smtp,
    channelDependencies(),
  );

  for (const timeout of [dnsTimeout, connectionTimeout, greetingTimeout, socketTimeout]) {
    assert.ok(timeout !== undefined && timeout >= 5_000 && timeout <= 10_000, String(timeout));
  }
});

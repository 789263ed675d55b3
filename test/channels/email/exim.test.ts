import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { sendContext } from '../../support/channel-dependencies.ts';
import { openEmail } from '../../support/email-channel.ts';
import { needsExim, startExim } from '../../support/exim.ts';
import type { Exim } from '../../support/exim.ts';
import { sampleNotification } from '../../support/sample.ts';

const skip = needsExim();

/** What the configuration says to reach the server of the test. */
function smtpOf(
  { certificate }: Exim,
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    starttls: 'required',
    ca_file: certificate,
    servername: 'localhost',
    user: 'robot',
    password: 's3cret',
    ...fields,
  };
}
const notification = sampleNotification({
  title: 'shop: may I run "npm publish"? ⏳',
  body: 'npm publish --access public\n\n  • runs in /home/dev/shop\n  • Ünïcödé, 日本語, עברית and <b>no markup</b>',
  sessionTitle: 'Release 2.0',
  durationMs: 125_000,
});

for (const secure of [false, true]) {
  test(
    `email: exim4 takes a mail over ${secure ? 'TLS from the start' : 'STARTTLS'} with a login`,
    { skip },
    async () => {
      await using exim = await startExim();
      await using channel = await openEmail(secure ? exim.securePort : exim.port, {
        to: ['Me <me@x.test>'],
        from: 'hookbell <robot@x.test>',
        smtp: smtpOf(exim, { secure }),
      });

      const outcome = await channel.send(notification, sendContext());
      const [raw] = await exim.mails(1);

      assert.deepEqual(outcome, { type: 'delivered' });
      const mail = await PostalMime.parse(raw ?? '');
      assert.equal(mail.subject, notification.title);
      assert.equal(mail.messageId, `<${notification.deliveryId}@hookbell.invalid>`);
      assert.deepEqual(mail.to, [{ name: 'Me', address: 'me@x.test' }]);
      for (const text of [notification.title, notification.body, 'Release 2.0']) {
        assert.ok(mail.text?.includes(text), mail.text);
      }
      assert.deepEqual(mail.attachments, []);
      assert.deepEqual(await channel.check(sendContext().signal), {
        ok: true,
        summary: `Mail server "127.0.0.1:${secure ? exim.securePort : exim.port}" accepts the login`,
      });
    },
  );
}

test(
  'email: exim4 refuses one recipient, puts off another and takes the third (P23, fault 37)',
  { skip },
  async () => {
    await using exim = await startExim();
    await using channel = await openEmail(exim.port, {
      to: ['me@x.test', 'gone@x.test', 'busy@x.test'],
      smtp: smtpOf(exim),
    });

    const outcome = await channel.send(notification, sendContext());

    assert.equal(outcome.type, 'retry');
    assert.match(JSON.stringify(outcome), /deferred busy@x\.test \(\\"451/);
    assert.deepEqual(outcome.type === 'retry' && JSON.parse(outcome.carry ?? ''), {
      left: ['busy@x.test'],
      refused: ['gone@x.test'],
    });
    assert.equal((await exim.mails(1)).length, 1);
  },
);

for (const { name, fields, type, reason } of [
  {
    name: 'a wrong password',
    fields: { password: 'wr0ng' },
    type: 'failed',
    reason: /^The mail server refused the login \(535\)/,
  },
  {
    name: 'an authority it does not know',
    fields: { ca_file: undefined },
    type: 'failed',
    reason: /is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
  },
  {
    name: 'a certificate for another name',
    fields: { servername: 'mail.x.test' },
    type: 'failed',
    reason: /is not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
  },
]) {
  test(
    `email: ${name} is final with exim4 and tells no secret (P22, fault 33)`,
    { skip },
    async () => {
      await using exim = await startExim();
      await using channel = await openEmail(exim.port, { smtp: smtpOf(exim, fields) });

      const outcome = await channel.send(notification, sendContext());
      const check = await channel.check(sendContext().signal);

      assert.equal(outcome.type, type);
      assert.match('reason' in outcome ? outcome.reason : '', reason);
      assert.match(check.summary, reason);
      assert.notEqual(check.hint, undefined);
      assert.doesNotMatch(JSON.stringify([outcome, check]), /wr0ng|s3cret/);
    },
  );
}

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';
import PostalMime from 'postal-mime';

import email from '../../../src/channels/email/index.ts';
import { addresseesOf, readProgress } from '../../../src/channels/email/mail-recipients.ts';
import type { Recipient } from '../../../src/core/looked-up.ts';
import { displayLine } from '../../../src/text/sanitize.ts';
import { openEmail } from '../../support/email-channel.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { sampleNotification } from '../../support/sample.ts';
import { startFaultySmtp } from '../../support/smtp-faults.ts';

const to = [{ name: 'Team', address: 'team@x.test' }];
const options = { to, to_concerned: true, domains: ['allowed.test'] };
const at = (address: string, isOutside: boolean): Recipient => ({
  type: 'found',
  address,
  isOutside,
});

const carryOf = (left: readonly string[], isPerson: boolean): string =>
  JSON.stringify({ left, refused: [], person: isPerson });

for (const { what, recipient, asked = options, addresses, note } of [
  {
    what: 'the person it concerns alone',
    recipient: at('ada@x.test', false),
    addresses: ['ada@x.test'],
    note: 'Sent to ada@x.test, the person it concerns',
  },
  {
    what: 'a person in a domain the configuration allows, whatever its case',
    recipient: at('ada@Allowed.TEST', true),
    addresses: ['ada@allowed.test'],
    note: 'Sent to ada@allowed.test, the person it concerns',
  },
  {
    what: 'its own recipients for an address outside the domains',
    recipient: at('ada@evil.test', true),
    addresses: ['team@x.test'],
    note: 'Sent to the recipients of the channel, because "ada@evil.test" is outside the domains of the organization',
  },
  {
    what: 'its own recipients for a domain that only ends like an allowed one',
    recipient: at('ada@not-allowed.test', true),
    addresses: ['team@x.test'],
    note: 'Sent to the recipients of the channel, because "ada@not-allowed.test" is outside the domains of the organization',
  },
  {
    what: 'its own recipients for an unknown person',
    recipient: { type: 'unknown', reason: 'the directory does not know "u9"' },
    addresses: ['team@x.test'],
    note: 'Sent to the recipients of the channel, because the directory does not know "u9"',
  },
  {
    what: 'its own recipients where no person is concerned',
    recipient: undefined,
    addresses: ['team@x.test'],
    note: null,
  },
  {
    what: 'its own recipients where the channel does not ask',
    recipient: at('ada@x.test', false),
    asked: { ...options, to_concerned: false },
    addresses: ['team@x.test'],
    note: null,
  },
] as const) {
  test(`addresseesOf() writes to ${what}`, () => {
    const found = addresseesOf(asked, recipient);

    assert.deepEqual([found.addresses, found.note], [addresses, note]);
    assert.equal(found.person, addresses[0] !== 'team@x.test');
  });
}

test('addresseesOf() takes one plain mailbox or nothing: no list, no name, no line feed, no route (T9)', () => {
  const addresses = [
    'ada@x.test, eve@evil.test',
    'ada@x.test;eve@evil.test',
    'Ada <ada@x.test>',
    '"a\r\nBcc: eve@evil.test" <ada@x.test>',
    'ada@x.test\r\nBcc: eve@evil.test',
    'ada@x.test\nRCPT TO:<eve@evil.test>',
    'ada@x.test>\r\nDATA',
    '<ada@x.test> <eve@evil.test>',
    '@evil.test:ada@x.test',
    'eve@evil.test@x.test',
    'ada@x.test\u0000',
    'ada@x.test\u2028',
    'ada@[127.0.0.1]',
    ' ',
    '',
    ...hostileTexts,
    ...hostileTexts.map((text) => `${text}@x.test`),
  ];

  for (const address of addresses) {
    const found = addresseesOf(options, at(address, false));
    if (found.person) assert.match(found.addresses.join(), /^[\w!#$%&'*+/=?^`{|}~.-]+@x\.test$/);
    else assert.deepEqual(found.addresses, ['team@x.test'], JSON.stringify(address));
    assert.equal(found.note, displayLine(found.note ?? ''));
  }
});

test('addresseesOf() never lets an address through that is more than one mailbox, whatever it is', () => {
  const piece = fc.constantFrom(
    'ada',
    '@',
    'x.test',
    '\r\n',
    ',',
    '<',
    '>',
    '"',
    ' ',
    'Bcc:',
    '\\',
    '(',
    '\u0000',
    'é',
    '%',
    '!',
  );
  const address = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

  fc.assert(
    fc.property(fc.oneof(address, fc.string()), (text) => {
      const { addresses } = addresseesOf(options, at(text, false));
      assert.equal(addresses.length, 1);
      assert.match(addresses[0] ?? '', /^[\w!#$%&'*+/=?^`{|}~.-]+@[a-z0-9.-]+$/);
    }),
  );
});

test('readProgress() goes on with whom a mail was begun for, and begins anew where that is another one', () => {
  const person = addresseesOf(options, at('ada@x.test', false));
  const own = addresseesOf(options, undefined);

  assert.deepEqual(readProgress(carryOf(['ada@x.test'], true), person).left, ['ada@x.test']);
  assert.deepEqual(readProgress(carryOf(['ada@x.test'], true), own).left, ['team@x.test']);
  assert.deepEqual(readProgress(carryOf(['old@x.test'], true), person).left, ['ada@x.test']);
  assert.deepEqual(readProgress(carryOf(['gone@x.test'], false), own).left, []);
});

test('email: a digest of one person goes to no one else while that person cannot be found', async () => {
  await using smtp = await startFaultySmtp();
  await using channel = await openEmail(smtp.port, {
    from: 'robot@x.test',
    more: { to_concerned: true },
  });
  const digest = { agent: 'service', event: 'digest.personal' } as const;
  const stranger = { type: 'unknown', reason: 'the directory does not know "u9"' } as const;
  const context = { signal: new AbortController().signal, carry: null, attempt: 1 };

  const unsent = await channel.send(
    sampleNotification({ ...digest, recipient: stranger }),
    context,
  );
  const nobody = await channel.send(sampleNotification(digest), context);
  const other = await channel.send(sampleNotification({ recipient: stranger }), context);

  const reasons = [unsent, nobody].map((one) => (one.type === 'retry' ? one.reason : one.type));
  assert.deepEqual(reasons, [
    'It is for one person only, and the directory does not know "u9"',
    'It is for one person only, and the channel writes to its own recipients',
  ]);
  assert.equal(other.type, 'delivered');
  assert.equal(smtp.takeMails().length, 1);
});

test('email: what concerns a person goes to that person alone, in the envelope and in the header', async () => {
  await using smtp = await startFaultySmtp();
  await using channel = await openEmail(smtp.port, {
    from: 'robot@x.test',
    more: { to_concerned: true },
  });
  const signal = new AbortController().signal;

  const outcome = await channel.send(
    { ...sampleNotification(), recipient: at('ada@x.test', false) },
    { signal, carry: null, attempt: 1 },
  );

  const [mail] = smtp.takeMails();
  const { to: shown, bcc, cc } = await PostalMime.parse(mail?.raw ?? '');
  assert.deepEqual(outcome, {
    type: 'delivered',
    note: 'Sent to ada@x.test, the person it concerns',
  });
  assert.deepEqual(mail?.to, ['ada@x.test']);
  assert.deepEqual(shown, [{ address: 'ada@x.test', name: '' }]);
  assert.deepEqual([bcc, cc], [undefined, undefined]);
  assert.equal(channel.needsRecipient, true);
});

test('email: with "to: person" a mail goes to the recipient of the delivery, else to no one', async () => {
  await using smtp = await startFaultySmtp();
  await using channel = await openEmail(smtp.port, { to: 'person', from: 'robot@x.test' });
  const context = { signal: new AbortController().signal, carry: null, attempt: 1 };
  const removed = { type: 'unknown', reason: '"ada@x.test" is not a person of this hub' } as const;

  const nobody = await channel.send(sampleNotification(), context);
  const gone = await channel.send(sampleNotification({ recipient: removed }), context);
  const forged = at('ada@x.test, eve@x.test', false);
  const two = await channel.send(sampleNotification({ recipient: forged }), context);
  const sent = await channel.send(
    sampleNotification({ recipient: at('ada@elsewhere.test', false) }),
    context,
  );

  const reasons = [nobody, gone, two].map((one) => (one.type === 'failed' ? one.reason : one.type));
  assert.deepEqual(reasons, [
    'It is for one person only, and no person is known',
    'It is for one person only, and "ada@x.test" is not a person of this hub',
    'It is for one person only, and "ada@x.test, eve@x.test" is not an address',
  ]);
  assert.equal(sent.type, 'delivered');
  assert.deepEqual(
    smtp.takeMails().map((mail) => mail.to),
    [['ada@elsewhere.test']],
  );
});

test('email: "to: person" needs a sender, and excludes "to_concerned"', () => {
  const personal = { to: 'person', smtp: { host: '127.0.0.1', starttls: 'never' } };
  const problems = (more: object): readonly string[] =>
    email.options
      .safeParse({ ...personal, ...more })
      .error?.issues.map(({ path }) => path.join()) ?? [];

  assert.deepEqual(problems({}), ['from']);
  assert.deepEqual(problems({ from: 'robot@x.test' }), []);
  assert.deepEqual(problems({ from: 'robot@x.test', to_concerned: true }), ['to_concerned']);
  assert.deepEqual(problems({ from: 'robot@x.test', to: 'everyone' }), ['to']);
});

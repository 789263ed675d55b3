import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseMailAddress } from '../../../src/channels/email/email-options.ts';

for (const [text, name, address] of [
  ['me@example.com', '', 'me@example.com'],
  ['  me@localhost ', '', 'me@localhost'],
  ['Me Myself <me@example.com>', 'Me Myself', 'me@example.com'],
  ['"Doe, Jane \\"JD\\"" <jane@example.com>', 'Doe, Jane "JD"', 'jane@example.com'],
  ['Zoë 🚀 <a+b_c=d@sub.example.co>', 'Zoë 🚀', 'a+b_c=d@sub.example.co'],
  ['<me@example.com>', '', 'me@example.com'],
  ['me@Bücher.example', '', 'me@xn--bcher-kva.example'],
] as const) {
  test(`parseMailAddress() reads ${text}`, () => {
    assert.deepEqual(parseMailAddress(text), { name, address });
  });
}

for (const text of [
  '',
  'me',
  '@example.com',
  'me@',
  'a@x.test, b@x.test',
  'a@x.test;b@x.test',
  'A <a@x.test>, B <b@x.test>',
  'Team: a@x.test, b@x.test;',
  'Doe, Jane <jane@x.test>',
  'me@x.test\r\nBcc: b@x.test',
  'Me\nBcc: b@x.test <me@x.test>',
  'me\0@x.test',
  'Me\u2028<me@x.test>',
  '<me@x.test> RCPT TO:<b@x.test>',
  'me@x.test>',
  'me@[127.0.0.1]',
  'me me@x.test',
  'me..me@x.test',
  '"me"@x.test',
  'me@x_y.test',
  'me@-x.test',
  'me(comment)@x.test',
  `${'a'.repeat(65)}@x.test`,
]) {
  test(`parseMailAddress() refuses ${JSON.stringify(text.slice(0, 40))} (P24, T9)`, () => {
    assert.ok('problem' in parseMailAddress(text));
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingsOf, parseOptions } from '../../../src/config/problem.ts';
import { emailOptions } from '../../../src/channels/email/email-options.ts';

const login = { user: 'me', password: { env: 'SMTP_PASSWORD' } };

function problems(given: unknown): readonly string[] {
  const { error } = emailOptions.safeParse(given, parseOptions);
  return findingsOf(error?.issues ?? []).map(({ path, at }) =>
    (at === 'key' ? path.slice(0, -1) : path).join('.'),
  );
}

test('emailOptions: server and recipient are enough; port 587 and STARTTLS are the defaults', () => {
  const options = emailOptions.parse({
    to: ['Me <me@example.com>'],
    smtp: { host: 'smtp.example.com' },
  });

  assert.deepEqual(options, {
    to: [{ name: 'Me', address: 'me@example.com' }],
    to_concerned: false,
    domains: [],
    smtp: { host: 'smtp.example.com', port: 587, starttls: 'required' },
  });
});

test('emailOptions: one address is a list of one', () => {
  const smtp = { host: 'smtp.example.com' };

  assert.deepEqual(emailOptions.parse({ to: 'me@example.com', smtp }).to, [
    { name: '', address: 'me@example.com' },
  ]);
  const { error } = emailOptions.safeParse({ to: 'me', smtp }, parseOptions);
  assert.deepEqual(
    findingsOf(error?.issues ?? []).map(({ message }) => message),
    ['is not one address such as "me@example.com" or "Name <me@example.com>"'],
  );
});

for (const { name, to = ['me@x.test'], smtp = {}, path } of [
  { name: 'no recipients, which would make a mail without any (P24)', to: [], path: 'to' },
  { name: 'a list in one string (P24)', to: ['a@x.test, b@x.test'], path: 'to.0' },
  { name: 'several addresses in one string', to: 'a@x.test, b@x.test', path: 'to' },
  { name: 'the same recipient twice', to: ['a@x.test', 'A <a@X.TEST>'], path: 'to' },
  { name: 'a host with a line feed', smtp: { host: 'x\r\ny' }, path: 'smtp.host' },
  { name: 'a user without a password', smtp: { user: 'me' }, path: 'smtp.password' },
  { name: 'a password without a user', smtp: { password: 'x' }, path: 'smtp.user' },
  {
    name: 'STARTTLS as a wish on a foreign host',
    smtp: { starttls: 'optional' },
    path: 'smtp.starttls',
  },
  {
    name: 'a password in clear text to a foreign host',
    smtp: { starttls: 'never', ...login },
    path: 'smtp.starttls',
  },
  { name: 'a user with a NUL', smtp: { ...login, user: 'a\0b' }, path: 'smtp.user' },
  { name: 'an unknown key', smtp: { hots: 'x' }, path: 'smtp' },
]) {
  test(`emailOptions: refuses ${name}`, () => {
    assert.deepEqual(problems({ to, smtp: { host: 'smtp.example.com', ...smtp } }), [path]);
  });
}

for (const { name, smtp } of [
  { name: 'STARTTLS as a wish on this machine', smtp: { host: 'localhost', starttls: 'optional' } },
  {
    name: 'no encryption on this machine',
    smtp: { host: '127.0.0.1', starttls: 'never', ...login },
  },
  { name: 'no encryption without a password', smtp: { host: 'relay', starttls: 'never' } },
  { name: 'a login', smtp: { host: 'smtp.example.com', ...login } },
  { name: 'TLS from the start', smtp: { host: 'smtp.example.com', port: 465, ...login } },
]) {
  test(`emailOptions: takes ${name}`, () => {
    assert.deepEqual(problems({ to: ['me@x.test'], smtp }), []);
  });
}

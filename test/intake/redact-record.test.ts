import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createRedactor } from '../../src/text/redact.ts';
import { redactRecord } from '../../src/intake/redact-record.ts';
import { sampleRecord } from '../support/store.ts';

const redactor = createRedactor({ prefixes: [], keys: [] });
const SECRET = 'password=hunter22';

function stored(payload: string): string {
  return Buffer.from(redactRecord(sampleRecord({}, payload), redactor).payload).toString();
}

test('redactRecord() leaves no secret in the texts of an event, and all that decisions depend on (T11)', () => {
  const record = sampleRecord({
    message: SECRET,
    title: SECRET,
    reason: SECRET,
    subject: SECRET,
    asked: { action: 'answer', text: SECRET, options: [SECRET] },
  });

  const { event } = redactRecord(record, redactor);

  assert.ok(!JSON.stringify(event).includes('hunter22'));
  assert.deepEqual(event, {
    ...record.event,
    message: event.message,
    title: event.title,
    reason: event.reason,
    subject: event.subject,
    asked: event.asked,
  });
});

test('redactRecord() leaves no secret in the payload, which stays JSON (T11)', () => {
  assert.deepEqual(
    JSON.parse(
      stored('{"tool_response":{"stdout":"password=hunter22","apiKey":"hunter22"},"n":1}'),
    ),
    { tool_response: { stdout: 'password=[redacted:assignment]', apiKey: '[redacted:key]' }, n: 1 },
  );
});

test('redactRecord() looks at a bounded part of a payload and keeps no more, with no secret cut in two (D15)', () => {
  const long = 'tell me more '.repeat(1_100_000);
  const text = stored(
    JSON.stringify({ session_id: 's', message: long, later: 'password=hunter22' }),
  );

  assert.ok(text.length < 300_000);
  assert.match(text, /^\{"session_id":"s","message":"tell me more .*\[redacted:too-long\]"\}$/);

  const secret = `ghp_${'A1b2'.repeat(9)}`;
  for (const before of [262_120, 262_130, 262_140]) {
    const kept = stored(JSON.stringify({ m: `${'x '.repeat(before / 2)}${secret}` }));
    assert.ok(!kept.includes('A1b2'), String(before));
  }
});

test('redactRecord() treats a payload that is not JSON as text, and drops what follows the document', () => {
  assert.equal(stored('{"cut": "password=hunter22'), '{"cut": "password=[redacted:assignment]');
  assert.equal(stored('{"a":1} password=hunter22'), '{"a":1}');
});

test('redactRecord() drops the rest of a list or an object that is too long, and what is nested too deep', () => {
  const word = 'x '.repeat(50_000).trim();
  const list: unknown = JSON.parse(stored(JSON.stringify([word, word, word, 'last'])));
  assert.ok(Array.isArray(list));
  assert.deepEqual(list.slice(0, 2), [word, word]);
  assert.match(String(list[2]), /^x .* x\[redacted:too-long\]$/);
  assert.deepEqual(list.slice(3), ['[redacted:too-long]']);
  const fields = { a: word, b: word, c: word, d: 'last' };
  assert.deepEqual(Object.keys(JSON.parse(stored(JSON.stringify(fields)))), ['a', 'b', 'c']);

  const empty = Array.from({ length: 300_000 }, () => '');
  const kept: unknown = JSON.parse(stored(JSON.stringify(empty)));
  assert.ok(Array.isArray(kept));
  assert.equal(kept.length, 262_145, 'an empty text counts, too');
});

test('redactRecord() keeps a text that fits exactly, and cuts the next at a space or where there is none', () => {
  const fits = 'x'.repeat(262_144 - 2);
  assert.equal(stored(JSON.stringify({ m: fits })), JSON.stringify({ m: fits }));
  assert.match(stored(JSON.stringify({ m: `${fits}x` })), /x\[redacted:too-long\]"\}$/);
  const cutAfter = (count: number) =>
    stored(JSON.stringify({ m: `${'a'.repeat(count)} ${'b'.repeat(9_000)}` })).length;
  assert.equal(cutAfter(260_000), '{"m":"[redacted:too-long]"}'.length + 260_000);
  const furthest = 262_144 - 2 - 4_096;
  assert.equal(cutAfter(258_000), '{"m":"[redacted:too-long]"}'.length + furthest);
});

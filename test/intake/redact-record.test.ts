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
  const began = performance.now();
  const text = stored(
    JSON.stringify({ session_id: 's', message: long, later: 'password=hunter22' }),
  );

  assert.ok(text.length < 300_000);
  assert.match(text, /^\{"session_id":"s","message":"tell me more .*\[redacted:too-long\]"\}$/);
  assert.ok(performance.now() - began < 5_000);

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

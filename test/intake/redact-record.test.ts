import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createRedactor } from '../../src/core/redact.ts';
import { redactRecord } from '../../src/intake/redact-record.ts';
import { sampleRecord } from '../support/store.ts';

const redactor = createRedactor({ prefixes: [], keys: [] });
const SECRET = 'password=hunter22';

function stored(payload: string): string {
  return Buffer.from(redactRecord(sampleRecord({}, payload), redactor).payload).toString();
}

test('redactRecord() leaves no secret in the texts of an event, and all that decisions depend on (T11)', () => {
  const record = sampleRecord({ message: SECRET, title: SECRET, reason: SECRET, subject: SECRET });

  const { event } = redactRecord(record, redactor);

  assert.ok(!JSON.stringify(event).includes('hunter22'));
  assert.deepEqual(event, {
    ...record.event,
    message: event.message,
    title: event.title,
    reason: event.reason,
    subject: event.subject,
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

test('redactRecord() treats a payload that is no JSON as text, and drops what follows the document', () => {
  assert.equal(stored('{"cut": "password=hunter22'), '{"cut": "password=[redacted:assignment]');
  assert.equal(stored('{"a":1} password=hunter22'), '{"a":1}');
});

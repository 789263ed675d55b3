import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { askToEnrol, type EnrolOptions } from '../../src/relay/ask-to-enrol.ts';
import { certificateIn } from '../support/certificate.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const body = { version: 1, code: 'AAAA', machine: 'desk', key: 'a'.repeat(64) } as const;

function optionsFor(port: number, fields: Partial<EnrolOptions> = {}): EnrolOptions {
  return {
    address: { type: 'url', secure: false, host: '127.0.0.1', port },
    certificate: null,
    outbound: createOutbound({ env: {} }),
    ...fields,
  };
}

describe('askToEnrol()', () => {
  const rows = [
    {
      status: 200,
      text: '{"version":1,"machine":"desk","person":"ada@example.com"}',
      result: { type: 'enrolled', person: 'ada@example.com' },
    },
    { status: 403, text: '{"error":"code"}', result: { type: 'code' } },
    { status: 409, text: '{"error":"name"}', result: { type: 'name' } },
    { status: 429, text: '{"error":"rate"}', result: { type: 'later', afterMs: 5_000 } },
    {
      status: 503,
      text: 'away',
      headers: { 'retry-after': '7' },
      result: { type: 'later', afterMs: 7_000 },
    },
    {
      status: 404,
      text: '<html>',
      result: { type: 'failed', reason: 'the program there is not a hookbell hub (status 404)' },
    },
    {
      status: 400,
      text: '{"error":"malformed"}',
      result: { type: 'failed', reason: 'the program there is not a hookbell hub (malformed)' },
    },
    {
      status: 200,
      text: `"${'x'.repeat(20_000)}"`,
      result: { type: 'failed', reason: 'the program there is not a hookbell hub (status 200)' },
    },
  ];
  for (const { status, text, headers = {}, result } of rows) {
    test(`understands ${status} with ${text.slice(0, 30)}`, async () => {
      await using hub = await openHttpEndpoint();
      hub.answer({ status, headers, body: text });

      assert.deepEqual(await askToEnrol(body, optionsFor(hub.port)), result);
      assert.deepEqual(JSON.parse(hub.requests[0]?.body ?? ''), body);
    });
  }

  test('fails with a reason if the hub hangs up, or is silent', async () => {
    await using hub = await openHttpEndpoint();
    hub.answer('reset', 'silence');

    for (const timeoutMs of [10_000, 50]) {
      const result = await askToEnrol(body, optionsFor(hub.port, { timeoutMs }));

      assert.equal(result.type, 'failed');
    }
  });

  test(
    'sends the code only to the certificate that is trusted',
    { skip: needs('openssl') },
    async () => {
      await using directory = await temporaryDirectory();
      const { certificate, key } = await certificateIn(directory.path, 'hub');
      const other = await certificateIn(directory.path, 'other');
      const cert = await readFile(certificate, 'utf8');
      await using hub = await openHttpEndpoint({ cert, key: await readFile(key, 'utf8') });
      hub.answer({ status: 403, body: '{"error":"code"}' });
      const address = { type: 'url', secure: true, host: 'localhost', port: hub.port } as const;

      const unknown = await askToEnrol(body, optionsFor(hub.port, { address }));
      const wrong = await readFile(other.certificate, 'utf8');
      const foreign = await askToEnrol(body, optionsFor(hub.port, { address, certificate: wrong }));
      const before = hub.requests.length;
      const right = await askToEnrol(body, optionsFor(hub.port, { address, certificate: cert }));

      assert.deepEqual([unknown.type, foreign.type, before], ['failed', 'failed', 0]);
      assert.deepEqual(right, { type: 'code' });
    },
  );
});

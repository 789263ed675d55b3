import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { test } from 'node:test';

import { sendHttpRequest } from '../../../src/channels/webhook/index.ts';
import { PrivateAddressError, publicLookup } from '../../../src/channels/webhook/public-lookup.ts';
import { openHttpEndpoint } from '../../support/http-endpoint.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';

/** A name server that gives these answers in turn. */
function resolving(...answers: readonly (readonly string[])[]): LookupFunction {
  const left = [...answers];
  return (_hostname, _options, callback) => {
    const addresses = left.shift() ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

function ask(
  lookup: LookupFunction,
  { all }: { all: boolean },
): Promise<string | readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup('example.com', { all }, (error, found) =>
      error === null ? resolve(found) : reject(error),
    );
  });
}

test('publicLookup() passes on public addresses, as a list or as one', async () => {
  const answer = ['1.1.1.1', '2606:4700:4700::1111'];

  const list = await ask(publicLookup(resolving(answer)), { all: true });
  const one = await ask(publicLookup(resolving(answer)), { all: false });

  assert.deepEqual(list, [
    { address: '1.1.1.1', family: 4 },
    { address: '2606:4700:4700::1111', family: 6 },
  ]);
  assert.equal(one, '1.1.1.1');
});

test('publicLookup() refuses a name with one private address among public ones (T10, fault 54)', async () => {
  const lookup = publicLookup(resolving(['1.1.1.1', '192.168.1.1']));

  await assert.rejects(ask(lookup, { all: true }), PrivateAddressError);
});

test('publicLookup() refuses a name without an address', async () => {
  await assert.rejects(ask(publicLookup(resolving([])), { all: true }), PrivateAddressError);
});

test('publicLookup() passes on the trouble of the name server', async () => {
  const trouble = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  const lookup = publicLookup((_hostname, _options, callback) => callback(trouble, []));

  await assert.rejects(ask(lookup, { all: true }), trouble);
});

test('publicLookup() lets no rebinding through: the socket goes where the checked answer said (T10, fault 54)', async () => {
  await using endpoint = await openHttpEndpoint();
  const nameServer = resolving(['1.1.1.1'], ['127.0.0.1']);
  const lookup = publicLookup(nameServer);
  // A check in advance sees the harmless address; the connection asks again and gets this machine.
  assert.deepEqual(await ask(lookup, { all: true }), [{ address: '1.1.1.1', family: 4 }]);

  const sending = sendHttpRequest({
    url: new URL(`http://rebinding.example:${endpoint.port}/`),
    method: 'POST',
    headers: {},
    body: '{}',
    signal: new AbortController().signal,
    outbound: createOutbound({ env: {} }),
    lookup,
  });

  await assert.rejects(sending, PrivateAddressError);
  assert.equal(endpoint.connections(), 0);
});

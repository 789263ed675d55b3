import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { sha256 } from '../../src/platform/crypto.ts';
import type { SignedClaim } from '../../src/relay/authenticator.ts';
import { createAuthenticator } from '../../src/relay/authenticator.ts';
import type { PairedMachine } from '../../src/relay/machines.ts';
import { signRequest } from '../../src/relay/signature.ts';
import { makeToken, readToken } from '../../src/relay/token.ts';
import { EVENTS } from '../../src/relay/wire.ts';
import { manualClock } from '../support/manual-clock.ts';

const MINUTE_MS = 60_000;
const token = readToken(makeToken('devbox', new Uint8Array(32).fill(7)));
assert.ok(token);
const devbox: PairedMachine = { name: 'devbox', key: token.key, scope: 'events', pairedAt: 0 };
const other: PairedMachine = { ...devbox, name: 'other', key: 'f'.repeat(64) };
const clock = manualClock();

let counter = 0;

/** A request that devbox has signed; what is named is another thing after the signing. */
function claim(changed: Partial<SignedClaim> = {}, signed: Partial<SignedClaim> = {}): SignedClaim {
  counter += 1;
  const request = {
    method: 'POST',
    path: EVENTS,
    machine: 'devbox',
    time: String(clock.now()),
    nonce: counter.toString(16).padStart(32, '0'),
    body: sha256('{}'),
    ...signed,
  };
  return { ...request, signature: signRequest(devbox.key, request), ...changed };
}

describe('createGate()', () => {
  test('lets in what a paired machine has signed', () => {
    const admission = createAuthenticator(clock.now).admit(claim(), [other, devbox]);

    assert.deepEqual(admission, { type: 'admitted', machine: devbox });
  });

  const strangers: readonly (readonly [string, Partial<SignedClaim>])[] = [
    ['another method', { method: 'GET' }],
    ['another path', { path: '/v1/stop' }],
    ['another body', { body: sha256('{"more":1}') }],
    ['another time', { time: String(clock.now() + 1) }],
    ['another nonce', { nonce: 'a'.repeat(32) }],
    ['the name of another paired machine', { machine: 'other' }],
    ['an unpaired name', { machine: 'nobody' }],
    ['a wrong signature', { signature: '0'.repeat(64) }],
    ['an empty signature', { signature: '' }],
  ];
  for (const [name, changed] of strangers) {
    test(`takes a request with ${name} for one of a stranger`, () => {
      const admission = createAuthenticator(clock.now).admit(claim(changed), [devbox, other]);

      assert.deepEqual(admission, { type: 'stranger' });
    });
  }

  test('takes a revoked machine for a stranger', () => {
    const gate = createAuthenticator(clock.now);

    assert.equal(gate.admit(claim(), [devbox]).type, 'admitted');
    assert.equal(gate.admit(claim(), []).type, 'stranger');
  });

  test('refuses a request that was let in before', () => {
    const gate = createAuthenticator(clock.now);
    const first = claim();

    assert.equal(gate.admit(first, [devbox]).type, 'admitted');
    const again = gate.admit(first, [devbox]);

    assert.deepEqual(again, { type: 'refused', machine: devbox, error: 'replay' });
  });

  for (const minutes of [-6, 6]) {
    test(`refuses a request whose clock is ${minutes} minutes off, and says that it is the clock`, () => {
      const signed = { time: String(clock.now() + minutes * MINUTE_MS) };

      const admission = createAuthenticator(clock.now).admit(claim({}, signed), [devbox]);

      assert.deepEqual(admission, { type: 'refused', machine: devbox, error: 'clock' });
    });
  }

  test('never lets a request in twice, however late the second one comes', async () => {
    const gate = createAuthenticator(clock.now);
    const early = claim({}, { time: String(clock.now() + 4 * MINUTE_MS) });
    gate.admit(early, [devbox]);

    for (let minute = 0; minute < 15; minute += 1) {
      await clock.advance(MINUTE_MS);
      // Others keep coming, so that old nonces are forgotten.
      gate.admit(claim(), [devbox]);

      assert.equal(gate.admit(early, [devbox]).type, 'refused', `after ${minute + 1} minutes`);
    }
  });

  test('limits the requests of a machine per interval, independently of other machines', async () => {
    const gate = createAuthenticator(clock.now);
    const asked = Array.from({ length: 80 }, () => gate.admit(claim(), [devbox]).type);

    assert.equal(asked.filter((type) => type === 'admitted').length, 60);
    assert.equal(gate.admit(claim(), [devbox]).type, 'refused');
    await clock.advance(100);
    assert.equal(gate.admit(claim(), [devbox]).type, 'admitted');
  });
});

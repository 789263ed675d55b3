import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createButtonSigner } from '../../../src/channels/support/signed-buttons.ts';

describe('createButtonSigner()', () => {
  const press = { deliveryId: '0199-a', act: 'seen' } as const;

  test('takes a press once, also when another signer with the same key signed it', () => {
    const body = createButtonSigner('key', 'decision key', () => 1_000).sign(press);
    const signer = createButtonSigner('key', 'decision key', () => 2_000);

    assert.deepEqual(signer.take(body), press);
    assert.equal(signer.take(body), null);
  });

  test('a button of a delivery has at most 64 bytes, as Telegram requires, and its whole id', () => {
    const signer = createButtonSigner('key', 'decision key', () => 4_000_000_000_000);
    const deliveryId = '0190a5e0-0000-7000-8000-fedcba987654';

    for (const act of ['seen', 'snooze', 'allow', 'deny', 'option9']) {
      const body = signer.sign({ deliveryId, act });

      assert.ok(Buffer.byteLength(body) <= 64, body);
      assert.deepEqual(signer.take(body), { deliveryId, act });
    }
  });

  test('takes no changed, foreign, expired or endless body', () => {
    let now = 1_000;
    const signer = createButtonSigner('key', 'decision key', () => now);
    const body = signer.sign(press);

    assert.equal(signer.take(body.replace('seen', 'snooze')), null);
    assert.equal(signer.take(body.replace('0199-a', '0199-b')), null);
    assert.equal(
      signer.take(createButtonSigner('other', 'decision key', () => now).sign(press)),
      null,
    );
    for (const text of ['', 'hello', body.slice(0, -1), `${body}x`, 'x'.repeat(100_000)]) {
      assert.equal(signer.take(text), null);
    }
    now += 12 * 3_600_000 + 1;
    assert.equal(signer.take(body), null);
  });
});

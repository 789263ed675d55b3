import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createCertificateWatch } from '../../src/relay/certificate-watch.ts';
import { selfSigned } from '../support/http-endpoint.ts';
import { manualClock } from '../support/manual-clock.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const DAY_MS = 86_400_000;

test(
  'createCertificateWatch() warns 14 days before the certificate ends, until another one is in use',
  { skip: needs('openssl') },
  async () => {
    await using directory = await temporaryDirectory();
    const old = await selfSigned(directory.path, undefined, 20);
    const renewed = await selfSigned(directory.path, undefined, 90);
    const clock = manualClock(Date.now());
    const raised = new Map<string, string>();
    const watch = createCertificateWatch({
      warnings: {
        raise: (key, text) => void raised.set(key, text),
        clear: (key) => void raised.delete(key),
      },
      now: clock.now,
      startTimer: clock.startTimer,
    });
    const seconds = () => watch.families()[0]?.samples[0]?.value ?? NaN;

    watch.use(old.cert);
    await clock.advance(5 * DAY_MS);
    assert.equal(raised.size, 0);
    assert.ok(Math.abs(seconds() - (15 * DAY_MS) / 1_000) < 120);
    await clock.advance(1.2 * DAY_MS);
    assert.match(raised.get('certificate') ?? '', /^The certificate of "listen" expires on \d{4}-/);
    await clock.advance(15 * DAY_MS);
    assert.match(raised.get('certificate') ?? '', /^The certificate of "listen" expired on \d{4}-/);
    assert.ok(seconds() < 0);

    watch.use(renewed.cert);
    assert.equal(raised.size, 0);
    watch.use(null);
    assert.deepEqual([watch.families(), clock.pending], [[], 0]);
  },
);

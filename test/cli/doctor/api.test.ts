import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkApi } from '../../../src/cli/doctor/api.ts';
import type { ApiCheckView, ApiPartView } from '../../../src/control/contract-views.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

/** What `doctor` says where the daemon answers this; name only the fields the test is about. */
async function saidOf(fields: Partial<ApiCheckView>): Promise<readonly string[]> {
  const view: ApiCheckView = {
    state: 'ok',
    durationMs: 43,
    reason: null,
    analytics: null,
    readiness: null,
    ...fields,
  };
  const checks = await checkApi(doctorPorts({ answers: { 'GET /v1/api': view } }));
  return checks.map(({ name, state, summary, hint }) => `${state} ${name}: ${summary} | ${hint}`);
}

const failed: ApiPartView = { state: 'failed', durationMs: 7, reason: 'Refused', hint: null };

describe('checkApi()', () => {
  for (const [view, wanted] of [
    [{}, 'ok session look-up: the service answered in 43 ms | null'],
    [{ state: 'off', durationMs: null, reason: 'no key' }, /^skipped session look-up: off: no key/],
    [
      { state: 'failed', durationMs: 7, reason: 'Refused' },
      /^warning .*: Refused \(after 7 ms\) \| Check/,
    ],
  ] satisfies readonly (readonly [Partial<ApiCheckView>, string | RegExp])[]) {
    test(`says of sessions: ${wanted}`, async () => {
      const [said = ''] = await saidOf(view);

      if (typeof wanted === 'string') assert.equal(said, wanted);
      else assert.match(said, wanted);
    });
  }

  test('C11: sessions that are found do not hide usage data and reports that are refused', async () => {
    const said = await saidOf({
      analytics: { ...failed, hint: 'Ask a manager' },
      readiness: failed,
    });

    assert.match(said[0] ?? '', /^ok session look-up/);
    assert.equal(said[1], 'warning usage data: Refused (after 7 ms) | Ask a manager');
    assert.match(said[2] ?? '', /^warning readiness reports: Refused \(after 7 ms\) \| .*app_url/);
  });

  test('C11: skips what the configuration does not need', async () => {
    const said = await saidOf({});

    assert.match(said[1] ?? '', /^skipped usage data: off: neither "budget" nor "digest"/);
    assert.match(said[2] ?? '', /^skipped readiness reports: off: no "app_url"/);
  });
});

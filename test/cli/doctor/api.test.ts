import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkApi } from '../../../src/cli/doctor/api.ts';
import type { ApiCheckView } from '../../../src/core/control.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

for (const [view, wanted] of [
  [{ state: 'ok', durationMs: 43, reason: null }, 'ok: the service answered in 43 ms'],
  [{ state: 'off', durationMs: null, reason: 'no key' }, 'skipped: off: no key'],
  [{ state: 'failed', durationMs: 7, reason: 'Refused' }, 'warning: Refused (after 7 ms)'],
] satisfies readonly (readonly [ApiCheckView, string])[]) {
  test(`checkApi() says "${wanted}"`, async () => {
    const check = await checkApi(doctorPorts({ answers: { 'GET /v1/api': view } }));

    assert.equal(`${check.state}: ${check.summary}`, wanted);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkDeliveries } from '../../../src/cli/doctor/daemon.ts';
import { sampleStatusView } from '../../support/sample-views.ts';

test('checkDeliveries() warns of what was given up and says how to see it', () => {
  const check = checkDeliveries(sampleStatusView({ deliveries: { pending: 0, sent: 3, dead: 2 } }));

  assert.equal(check.state, 'warning');
  assert.equal(check.summary, '2 given up');
  assert.match(check.hint ?? '', /hookbell queue --state dead/);
  assert.equal(checkDeliveries(sampleStatusView()).state, 'ok');
});

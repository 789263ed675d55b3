import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkListen } from '../../../src/cli/doctor/remote.ts';
import { sampleStatusView } from '../../support/sample-views.ts';

test('checkListen() advises what a hub needs where no machine has joined', () => {
  const listen = { addresses: ['https://hub:8443'], problem: null, machines: [] };
  const status = sampleStatusView({ listen });

  assert.equal(checkListen(status).hint, 'Run: hookbell remote pair NAME');
  assert.equal(checkListen(status, { hub: {} }).hint, 'Run: hookbell hub invite ADDRESS');
});

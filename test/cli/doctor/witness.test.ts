import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkWitness } from '../../../src/cli/doctor/witness.ts';
import type { WaitsSeen } from '../../../src/core/history.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

function seen(by: WaitsSeen['by'], count: number, surface: string | null = null): WaitsSeen {
  const version = by === 'record' ? '2.1.332' : null;
  return { agent: 'claude', by, version, surface, count };
}

function checked(answer: readonly WaitsSeen[]) {
  return checkWitness(doctorPorts({ answers: { 'GET /v1/waits-seen': answer } }));
}

test('checkWitness() compares the hooks of an agent with its record, and warns if most waits had no hook', async () => {
  const usual = await checked([
    seen('hook', 38),
    seen('record', 2, 'claude-vscode'),
    seen('record', 1, 'cli'),
    seen('late', 1),
  ]);
  assert.deepEqual(
    [usual.state, usual.summary],
    [
      'ok',
      'Claude Code: 41 waits, 3 without a hook (2 with 2.1.332 in claude-vscode, 1 with 2.1.332 in cli), 1 with a late one',
    ],
  );
  assert.equal((await checked([seen('hook', 1), seen('record', 2, 'cli')])).state, 'warning');
  assert.equal((await checked([])).summary, 'no wait in 30 days');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkWitness } from '../../../src/cli/doctor/witness.ts';
import type { WaitsSeen } from '../../../src/core/history.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

function seen(
  by: WaitsSeen['by'],
  count: number,
  fields: Partial<WaitsSeen> = { version: '2.1.332', surface: 'cli' },
): WaitsSeen {
  return { agent: 'claude', by, version: null, surface: null, afterMs: null, ...fields, count };
}

function checked(answer: readonly WaitsSeen[]) {
  return checkWitness(doctorPorts({ answers: { 'GET /v1/waits-seen': answer } }));
}

test('checkWitness() compares the hooks of an agent with its record by version, and warns if most waits had no hook', async () => {
  const version = '2.1.332';
  const usual = await checked([
    seen('hook', 38, { version, surface: 'cli', afterMs: 140 }),
    seen('hook', 4, {}),
    seen('record', 2, { version, surface: 'claude-vscode', afterMs: 910 }),
    seen('hook', 2, { version: '2.1.331', surface: 'cli' }),
    seen('record', 1, { version, surface: 'cli', afterMs: 1_300 }),
    seen('late', 1, {}),
  ]);
  assert.deepEqual(
    [usual.state, usual.summary],
    [
      'ok',
      'Claude Code 2.1.332: 41 waits, 3 without a hook (2 in claude-vscode, 1 in cli), known after 0.1 s by a hook and 0.9 s without; 2.1.331: 2 waits, none without a hook; 1 hook came late; 4 waits by a hook alone',
    ],
  );
  assert.equal((await checked([seen('hook', 1), seen('record', 2)])).state, 'warning');
  assert.equal(
    (await checked([seen('hook', 3, {})])).summary,
    'Claude Code: 3 waits, all by hooks',
  );
  assert.equal((await checked([])).summary, 'no wait in 30 days');
});

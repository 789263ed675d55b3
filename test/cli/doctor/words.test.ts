import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkWords } from '../../../src/cli/doctor/words.ts';
import type { ReceivedWord } from '../../../src/core/history.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

function word(event: string, notificationType: string | null, count: number): ReceivedWord {
  return { agent: 'claude', event, notificationType, count };
}

test('checkWords() lists unknown events and types with their counts, clean and short', async () => {
  const answer = [
    word('Notification', 'permission_prompt', 90),
    word('PreToolUse', null, 80),
    word('Notification', 'deploy_gate', 12),
    word('QuantumFlux', null, 1),
    word('Notification', `\u001b[31m${'x'.repeat(900)}`, 1),
  ];
  const ports = doctorPorts({ answers: { 'GET /v1/words-received': answer } });

  const { state, summary } = await checkWords(ports);

  assert.equal(state, 'warning');
  assert.match(
    summary,
    /^claude Notification "deploy_gate" 12 times, claude QuantumFlux once, claude Notification "x{50,59}…" once$/,
  );
});

test('checkWords() is content with what the vocabularies list, and counts what it does not show', async () => {
  const words = [word('Stop', null, 3), word('HookbellNotify', 'normal', 1)];
  const known = doctorPorts({ answers: { 'GET /v1/words-received': words } });
  const many = Array.from({ length: 2_000 }, (_, at) => word('Notification', `t${at}`, 1));
  const full = doctorPorts({ answers: { 'GET /v1/words-received': many } });

  assert.equal((await checkWords(known)).state, 'ok');
  assert.match((await checkWords(full)).summary, /, 1990 more$/);
});

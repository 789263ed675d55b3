import assert from 'node:assert/strict';
import { test } from 'node:test';

import { configOf } from '../support/config-text.ts';

test('requests are held as long as each agent allows, or less', async () => {
  const usual = await configOf('channels: {}');
  const less = await configOf(
    'answers: { hold: { claude: while_away, claude_subagents: never, opencode: never, codex: never } }',
  );

  assert.deepEqual(usual.answers.hold, {
    agents: { claude: 'open', opencode: 'open', codex: 'away', qwen: 'away', program: 'open' },
    subagents: { claude: 'away' },
  });
  assert.deepEqual(less.answers.hold, {
    agents: { claude: 'away', opencode: null, codex: null, qwen: 'away', program: 'open' },
    subagents: { claude: null },
  });
  // Their prompt would not be shown to a person at the terminal.
  await assert.rejects(
    configOf('answers: { hold: { codex: until_answered } }'),
    /answers\.hold\.codex[^]*while_away/,
  );
  await assert.rejects(configOf('answers: { hold: { gemini: while_away } }'), /gemini/);
});

import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { permissionRequest } from '../support/asking-hook.ts';
import { claudeTranscript } from '../support/claude-transcript.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { needsPostgres, startPostgres } from '../support/postgres.ts';

const line = (role: string, ...content: readonly object[]): string =>
  `${JSON.stringify({ timestamp: new Date().toISOString(), type: role, message: { role, content } })}\n`;

test(
  'hookbell waiting --by request and hookbell rules work with a store on PostgreSQL',
  { skip: needsPostgres() },
  async () => {
    await using postgres = await startPostgres();
    await using home = await hookbellHome();
    const url = join(home.home, 'database-url');
    await writeFile(url, `${postgres.url}\n`, { mode: 0o600 });
    await home.writeConfig(`store: { postgres: { url: { file: ${url} } } }\nchannels: {}\n`);
    const transcript = await claudeTranscript(home.home);
    await home.start();
    await writeFile(
      transcript,
      line('assistant', { type: 'tool_use', id: 'call-1', name: 'Bash' }),
    );
    await home.hook({ ...permissionRequest, transcript_path: transcript }, ['--agent', 'claude']);
    await until(async () => (await home.ask('GET /v1/status')).events === 1);
    const words = { type: 'text', text: '[Request interrupted by user for tool use]' };
    const result = { type: 'tool_result', tool_use_id: 'call-1', is_error: true };
    await appendFile(transcript, line('user', result, words));
    await until(async () => (await home.ask('GET /v1/waiting')).asked.count === 1);

    const waiting = await home.cli('waiting', '--by', 'request');
    const again = await home.cli('waiting', '--by', 'request', '--json');
    const rules = await home.cli('rules', '--json');

    assert.match(waiting.stdout, /^touch:\* +1 .* +0 +1 +0 +0 +claude$/m);
    assert.match(again.stdout, /"denied": 1/);
    assert.deepEqual(JSON.parse(rules.stdout), { rules: [], off: [] });
    const [stored] = await postgres.run('SELECT request FROM waits');
    assert.deepEqual(stored, { request: '["touch:*",[]]' });
  },
);

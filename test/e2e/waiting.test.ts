import assert from 'node:assert/strict';
import { once } from 'node:events';
import { utimesSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { heldQuestions, permissionRequest, startAsking } from '../support/asking-hook.ts';
import { claudeTranscript } from '../support/claude-transcript.ts';
import { putEnvelope } from '../support/envelopes.ts';
import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { needs } from '../support/system-part.ts';
import { openTmux } from '../support/tmux.ts';
import { shellWord } from '../../src/text/escape.ts';

const MINUTE = 60_000;
const ran = { ...permissionRequest, hook_event_name: 'PostToolUse', tool_response: {} };
const stopped = { ...permissionRequest, hook_event_name: 'Stop' };
const prompted = { ...permissionRequest, hook_event_name: 'UserPromptSubmit', prompt: 'Go on' };

/** The clock of a file system may stand still for milliseconds. */
const COARSE_MS = 20;

/** Runs the hook; returns a time before and one after it. */
async function hooked(home: HookbellHome, payload: object) {
  const from = Date.now();
  await home.hook(payload, ['--agent', 'claude']);
  return { from, to: Date.now() };
}

async function committed(home: HookbellHome, count: number): Promise<void> {
  await until(async () => (await home.ask('GET /v1/status')).events === count);
}

/** A line of a transcript of Claude Code. */
function line(at: number, role: string, ...content: readonly object[]): string {
  const timestamp = new Date(at).toISOString();
  return `${JSON.stringify({ timestamp, type: role, message: { role, content } })}\n`;
}

describe('hookbell waiting, with the daemon', () => {
  test('a request waits until its call began; a turn until the next prompt', async () => {
    await using home = await hookbellHome();
    await home.start();
    const asked = await hooked(home, permissionRequest);
    const answered = await hooked(home, { ...ran, duration_ms: 0 });
    // Another request, whose call began immediately and ran for long.
    const slow = { tool_input: { command: 'sleep 3600' }, tool_use_id: 'call-2' };
    await hooked(home, { ...permissionRequest, ...slow });
    await hooked(home, { ...ran, ...slow, duration_ms: 60 * MINUTE });
    const done = await hooked(home, stopped);
    const next = await hooked(home, prompted);
    await committed(home, 6);

    const report = await home.ask('GET /v1/waiting', { query: { by: 'project' } });
    const { stdout } = await home.cli('waiting', '--by', 'project', '--csv');

    const [row] = report.rows;
    assert.ok(row !== undefined && report.rows.length === 1);
    assert.deepEqual([row.key, row.asked.count, row.done.count], ['shop', 2, 1]);
    for (const [ms, begun, ended] of [
      [row.asked.totalMs, asked, answered],
      [row.done.totalMs, done, next],
    ] as const) {
      assert.ok(ms >= ended.from - begun.to - COARSE_MS && ms <= ended.to - begun.from + COARSE_MS);
    }
    assert.match(stdout, new RegExp(`^project,[^]*\\r?\\nshop,2,${row.asked.totalMs},`));
  });

  test('a denial in the terminal ends the wait at the time that the transcript has, also once it is acknowledged', async () => {
    await using home = await hookbellHome();
    const transcript = await claudeTranscript(home.home);
    await home.start();
    const call = { type: 'tool_use', id: 'call-1', name: 'Bash', input: {} };
    await writeFile(transcript, line(Date.now(), 'assistant', call));
    const asked = await hooked(home, { ...permissionRequest, transcript_path: transcript });
    await committed(home, 1);
    assert.equal((await home.cli('ack', '--all')).code, 0);
    // Not when the daemon notices it, up to five seconds later.
    const denied = asked.to + 1;
    const words = { type: 'text', text: '[Request interrupted by user for tool use]' };
    const result = { type: 'tool_result', tool_use_id: call.id, is_error: true };
    await appendFile(transcript, line(denied, 'user', result, words));
    await until(async () => (await home.ask('GET /v1/waiting')).asked.count === 1);

    const { totalMs } = (await home.ask('GET /v1/waiting')).asked;
    const [row] = (await home.ask('GET /v1/waiting', { query: { by: 'request' } })).rows;

    assert.deepEqual([row?.key, row?.request?.denied], ['touch:*', 1]);
    assert.ok(
      totalMs >= denied - asked.to - COARSE_MS && totalMs <= denied - asked.from + COARSE_MS,
      `${totalMs}`,
    );
  });

  test('a daemon that is killed during a wait reads its end from the event, and excludes its absence', async () => {
    await using home = await hookbellHome();
    await home.start();
    await home.hook(permissionRequest, ['--agent', 'claude']);
    await committed(home, 1);
    await home.killDaemon();
    // Two hours ago it was alive for the last time, as far as the next one can know.
    const long = Date.now() - 2 * 60 * MINUTE;
    utimesSync(join(home.paths.state, 'alive'), long / 1_000, long / 1_000);
    await putEnvelope(home.paths.spool, { ...ran, duration_ms: 0 }, { facts: { agent: 'claude' } });
    await home.start();
    await committed(home, 2);

    const { asked, excluded } = await home.ask('GET /v1/waiting');

    assert.equal(asked.count, 1);
    assert.equal(excluded.gaps, 1);
    assert.ok(asked.totalMs <= MINUTE, `${asked.totalMs}`);
  });

  test('a restart is not a gap, and one on a slow machine no longer than it took', async () => {
    await using home = await hookbellHome();
    const daemon = await home.start();
    await home.hook(permissionRequest, ['--agent', 'claude']);
    await committed(home, 1);
    const ended = once(daemon, 'exit');
    await home.ask('POST /v1/stop');
    const before = Date.now();
    await ended;
    await home.start();
    const tookMs = Date.now() - before;

    const { excluded } = await home.ask('GET /v1/waiting');

    if (tookMs < 1_500) assert.equal(excluded.gaps, 0);
    assert.ok(excluded.ms <= tookMs + COARSE_MS, `${excluded.ms} of ${tookMs}`);
  });

  test('an expired request and one of a killed agent have no answer', async () => {
    await using home = await hookbellHome();
    await home.writeConfig('channels: {}\nalerts: { settle: 0s, expire_after: 1s }\n');
    await home.start();
    await home.hook(permissionRequest, ['--agent', 'claude']);
    await until(async () => {
      const { unanswered } = await home.ask('GET /v1/waiting');
      return unanswered.expired === 1;
    });

    await hooked(home, { ...permissionRequest, session_id: 'other' });
    await hooked(home, {
      ...permissionRequest,
      session_id: 'other',
      hook_event_name: 'SessionEnd',
    });
    await until(async () => {
      const { unanswered } = await home.ask('GET /v1/waiting');
      return unanswered.ended === 1;
    });
    assert.equal((await home.ask('GET /v1/waiting')).asked.count, 0);
  });

  test(
    'an answer on the command line ends the wait before the agent reports the call',
    { skip: needs('tmux', 'script') },
    async () => {
      await using home = await hookbellHome();
      await home.start();
      await using tmux = await openTmux();
      using asking = startAsking(home);
      await heldQuestions(home);
      await tmux.run('set', '-g', 'remain-on-exit', 'on');
      const cli = join(projectRoot, 'dist/program/cli.js');
      const command = `HOME=${shellWord(home.home)} ${shellWord(process.execPath)} ${shellWord(cli)} allow`;
      const pane = (await tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', command)).trim();
      const screen = (): Promise<string> => tmux.run('capture-pane', '-p', '-t', pane);
      await until(async () => (await screen()).includes('Allow this?'));
      await tmux.run('send-keys', '-t', pane, 'y', 'Enter');
      await asking.ended;

      await until(async () => (await home.ask('GET /v1/waiting')).asked.count === 1);
      const { stdout } = await home.cli('daemon', 'metrics');
      assert.match(stdout, /hookbell_waiting_seconds_count\{type="asked",agent="claude"\} 1\n/);
    },
  );
});

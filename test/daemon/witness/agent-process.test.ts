import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { claudeWitness } from '../../../src/agents/claude/session-record.ts';
import type { RecordedSession } from '../../../src/core/agent/witness.ts';
import { createAgentProcesses } from '../../../src/daemon/witness/agent-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const skip = process.platform === 'linux' ? false : 'processes are proved by /proc, on Linux';
const uid = process.geteuid?.() ?? null;
const { proof } = claudeWitness;
const programs = { programs: ['claude'], variables: [] };

/** A process whose program has this name, and its start. */
async function running(name: string, env: Readonly<Record<string, string>>) {
  const directory = await temporaryDirectory();
  await mkdir(join(directory.path, 'bin'));
  const program = join(directory.path, 'bin', name);
  await copyFile('/bin/sleep', program);
  const child = spawn(program, ['600'], { env, stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? assert.fail('It has no number');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return {
    pid,
    start,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}

function recorded(fields: Pick<RecordedSession, 'pid' | 'start'>): RecordedSession {
  return {
    state: 'waiting',
    since: 1,
    waitingFor: null,
    sessionId: 's1',
    cwd: null,
    version: null,
    surface: 'cli',
    ...fields,
  };
}

describe('createAgentProcesses()', { skip }, () => {
  test('proves the process of a record by its program, its start and its owner, and takes its surroundings', async () => {
    await using agent = await running('claude', { TMUX_PANE: '%3', SECRET: 'x', CLAUDE_PID: '1' });
    await using other = await running('slumber', {});
    const processes = createAgentProcesses({ programs, proof, uid, now: Date.now });

    assert.deepEqual(await processes.prove(recorded(agent)), {
      tmux_pane: '%3',
      claude_pid: String(agent.pid),
      claude_code_session_id: 's1',
      claude_code_entrypoint: 'cli',
    });
    for (const [why, session] of [
      ['another start: the number was used again', recorded({ ...agent, start: '7' })],
      ['no start, and younger than the record', recorded({ ...agent, start: null })],
      ['another program', recorded(other)],
      ['no such process', recorded({ pid: 4_194_304, start: '7' })],
    ] as const)
      assert.equal(await processes.prove(session), null, why);
    const unsaid = { ...recorded({ ...agent, start: null }), since: Date.now() };
    assert.notEqual(await processes.prove(unsaid), null, 'older than the record');
    assert.equal(await processes.atTerminal(agent.pid), null, 'no terminal');
    const foreign = createAgentProcesses({ programs, proof, uid: (uid ?? 0) + 1, now: Date.now });
    assert.equal(await foreign.prove(recorded(agent)), null, 'another user');
  });

  test('finds the directory that a variable names in the process of an agent, and in no other process', async () => {
    await using _agent = await running('claude', { CLAUDE_CONFIG_DIR: '/home/dev/work-claude' });
    await using _other = await running('slumber', { CLAUDE_CONFIG_DIR: '/home/dev/planted' });
    await using _relative = await running('claude', { CLAUDE_CONFIG_DIR: 'planted' });
    const processes = createAgentProcesses({ programs, proof, uid, now: Date.now });

    const found = await processes.valuesOf('CLAUDE_CONFIG_DIR');

    assert.ok(found.includes('/home/dev/work-claude'));
    assert.ok(!found.some((path) => path.endsWith('planted')));
  });
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { noticeable, runHook, shellHookPath, unnoticed } from './run-hook.ts';

test('the hooks are clean for shellcheck', { skip: needs('shellcheck') }, () => {
  const scripts = [shellHookPath, shellHookPath.replace(/hook$/, 'ask')];
  const { stdout, status } = spawnSync('shellcheck', ['--shell=sh', ...scripts], {
    encoding: 'utf8',
  });

  assert.deepEqual({ stdout, status }, { stdout: '', status: 0 });
});

test(
  'hookbell-hook starts `timeout` and `cat`, opens no socket and syncs nothing (acceptance 021)',
  {
    skip: needsTrace(),
  },
  async () => {
    await using state = await temporaryDirectory();
    const trace = join(state.path, 'trace');
    await runHook(hook, '{}', { env: { HOOKBELL_STATE_DIR: state.path } });

    const run = await runHook(hook, '{"a":1}', {
      env: { HOOKBELL_STATE_DIR: state.path },
      wrapper: [
        'strace',
        '-f',
        '-qq',
        '-o',
        trace,
        '-e',
        'trace=execve,socket,connect,fsync,fdatasync',
      ],
    });

    assert.deepEqual(noticeable(run), unnoticed);
    const calls = readFileSync(trace, 'utf8');
    const programs = [...calls.matchAll(/execve\("[^"]*\/([^"/]+)".* = 0$/gm)].map(
      ([, name]) => name,
    );
    assert.deepEqual(programs, ['hookbell-hook', 'timeout', 'cat']);
    assert.doesNotMatch(calls, /socket\(|connect\(|sync\(/);
  },
);

test('hookbell-hook can be run by its path, as agents do', async () => {
  await using state = await temporaryDirectory();

  const run = await runHook(hook, '{}', { env: { HOOKBELL_STATE_DIR: state.path } });

  assert.deepEqual(noticeable(run), unnoticed);
  assert.equal(existsSync(join(state.path, 'spool')), true);
});

const hook = { name: 'sh', command: [shellHookPath], skip: false } as const;

function needsTrace(): string | false {
  const missing = needs('strace');
  if (missing !== false) return missing;
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
    ? false
    : 'needs the right to trace processes';
}

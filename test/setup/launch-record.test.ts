import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { launchState, readLaunchRecord, writeLaunchScript } from '../../src/setup/launch-script.ts';
import { launchStandIns } from '../support/launch-stand-ins.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('launchState() distinguishes a whole script from one that a power cut left empty or short (A6)', async () => {
  await using directory = await temporaryDirectory();
  const launch = join(directory.path, 'launch');
  const options = launchStandIns(directory.path);

  assert.equal(launchState(launch), 'missing');
  writeLaunchScript(options);
  assert.equal(launchState(launch), 'ok');
  assert.equal(launchState(`${launch}.spare`), 'ok');
  const text = readFileSync(launch, 'utf8');
  for (const left of ['', text.slice(0, 900), text.slice(0, -1)]) {
    writeFileSync(launch, left);
    assert.equal(launchState(launch), 'truncated');
  }
  writeFileSync(launch, '#!/bin/sh\nexport HOOKBELL_CONFIG=x\nrm -f launching\n');
  assert.equal(launchState(launch), 'outdated');
  writeLaunchScript({ ...options, environment: null });
  assert.equal(launchState(launch), 'unrecorded');
});

test('readLaunchRecord() gives back what was recorded, and nothing of a file that is cut off or old', async () => {
  await using directory = await temporaryDirectory();
  const launch = join(directory.path, 'launch');
  const options = launchStandIns(directory.path);

  writeLaunchScript(options);
  const recorded = readLaunchRecord(launch);
  writeLaunchScript({ ...options, environment: null });
  const unrecorded = readLaunchRecord(launch);
  writeFileSync(`${launch}.json`, '{"command":"/n","args":[],"environment":{"A":"b"}}');
  const old = readLaunchRecord(launch);
  writeFileSync(`${launch}.json`, '');

  assert.deepEqual(recorded?.environment, options.environment);
  assert.equal(unrecorded?.environment, null);
  assert.equal(old, null);
  assert.equal(readLaunchRecord(launch), null);
});

test(
  'writeLaunchScript() has everything on the disk before a name shows it (A6)',
  { skip: needs('strace') },
  async () => {
    await using directory = await temporaryDirectory();
    const trace = join(directory.path, 'trace');
    const options = { ...launchStandIns(directory.path), stateDirectory: directory.path };
    const module = new URL('../../src/setup/launch-script.js', import.meta.url).href;
    const script = `import { writeLaunchScript } from ${JSON.stringify(module)}; writeLaunchScript(${JSON.stringify(options)});`;

    const strace = ['-f', '-qq', '-y', '-o', trace, '-e', 'trace=fsync,rename,renameat2'];
    const words = [...strace, process.execPath, '--input-type=module', '-e', script];
    const { status } = spawnSync('strace', words, { encoding: 'utf8' });

    assert.equal(status, 0);
    const calls = readFileSync(trace, 'utf8')
      .split('\n')
      .flatMap((line) => /(fsync|rename)\w*\(/.exec(line)?.[1] ?? []);
    assert.deepEqual(
      calls,
      [1, 2, 3].flatMap(() => ['fsync', 'rename', 'fsync']),
    );
  },
);

test('writeLaunchScript() leaves alone what is there already', async () => {
  await using directory = await temporaryDirectory();
  const launch = join(directory.path, 'launch');
  writeLaunchScript(launchStandIns(directory.path));
  const { ino } = statSync(launch);

  writeLaunchScript(launchStandIns(directory.path));

  assert.equal(statSync(launch).ino, ino);
});

test('writeLaunchScript() writes for the owner alone', async () => {
  await using directory = await temporaryDirectory();

  writeLaunchScript(launchStandIns(directory.path));

  assert.equal(statSync(join(directory.path, 'launch')).mode & 0o777, 0o700);
  assert.equal(statSync(join(directory.path, 'launch.json')).mode & 0o777, 0o600);
});

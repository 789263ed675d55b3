import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { fileChannelHome, readLines } from '../support/file-channel-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { mountHanging, needsHanging } from '../support/hung-file-system.ts';

const EVENTS = 20;

describe('A file system that never answers', { skip: needsHanging() }, () => {
  test('fails commands with a message where the state directory lies on it (A2)', async () => {
    await using far = await mountHanging();
    await using place = await hookbellHome();
    place.env['HOOKBELL_STATE_DIR'] = join(far.path, 'state');
    far.hang();

    for (const words of [['status'], ['doctor'], ['start']]) {
      const { code, stderr } = await place.cli(...words);

      assert.notEqual(code, 0);
      assert.match(
        stderr,
        /Cannot use the state directory .* does not answer\n {2}Look at the mount: findmnt/,
      );
    }
    far.answer();
  });

  test('holds up its own channel only, whatever names it; `status` says so, and nothing is lost (A2)', async () => {
    await using far = await mountHanging();
    await mkdir(join(far.source, 'shop'));
    const secret = join(far.path, 'token');
    await writeFile(join(far.source, 'token'), 'Bearer abc', { mode: 0o600 });
    await using place = await fileChannelHome({
      slow: `{ type: file, path: ${join(far.path, 'slow.jsonl')} }`,
      run: `{ type: command, command: ["/bin/cat"], cwd: ${far.path} }`,
      web: `{ type: webhook, url: "http://127.0.0.1:9/", allow_http: true, allow_private: true, headers: { authorization: { file: ${secret} } } }`,
    });
    const daemon = await place.start();
    far.hang();

    for (let number = 0; number < EVENTS; number += 1) {
      const { code } = await place.hook({
        hook_event_name: 'Notification',
        session_id: `s${number}`,
        message: `Event ${number}`,
        cwd: join(far.path, 'shop'),
        transcript_path: join(far.path, `s${number}.jsonl`),
      });
      assert.equal(code, 0);
    }

    await until(async () => (await place.lines()).length === EVENTS);
    await until(async () => {
      const { warnings } = await place.ask('GET /v1/status');
      return warnings.some(
        (warning) => warning.includes(far.path) && warning.includes('has not responded since'),
      );
    });
    const shown = await place.cli('status');
    assert.match(shown.stdout + shown.stderr, /has not responded since/);

    far.answer();
    await until(
      async () => (await readLines(join(far.source, 'slow.jsonl'))).length >= EVENTS,
      60_000,
    );
    const { warnings } = await place.ask('GET /v1/status');
    assert.deepEqual(
      warnings.filter((warning) => warning.includes('has not responded')),
      [],
    );
    const stopped = new Promise((resolve) => daemon.once('exit', resolve));
    far.hang();
    daemon.kill('SIGTERM');
    assert.equal(await stopped, 0);
    far.answer();
  });
});

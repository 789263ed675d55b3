import assert from 'node:assert/strict';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { expectedPayloads, readPayloadFixture } from '../support/payload-fixtures.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import {
  hookVariants,
  nodeVariant,
  noticeable,
  runHook,
  startHook,
  unnoticed,
} from './run-hook.ts';
import { onlyFile, readSpool } from './read-spool.ts';

for (const variant of hookVariants) {
  describe(`the hook under ${variant.name}`, { skip: variant.skip, timeout: 60_000 }, () => {
    test('hands over every recorded payload byte for byte (acceptance 001, 016, 019, 020)', async () => {
      await using directory = await temporaryDirectory();

      for (const { file, input, args, env } of expectedPayloads()) {
        const bytes = Buffer.from(readPayloadFixture(file));
        const state = join(directory.path, file.replace('/', '-'));
        const run = await runHook(variant, input === 'stdin' ? bytes : '', {
          args: input === 'stdin' ? args : [...args, bytes.toString()],
          env: { ...env, HOOKBELL_STATE_DIR: state },
        });

        const { payload, isWhole } = onlyFile(state);
        assert.deepEqual({ ...noticeable(run), isWhole }, { ...unnoticed, isWhole: true }, file);
        assert.ok(payload.equals(bytes), `${file} changed on its way`);
      }
    });

    const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);
    const inputs: Readonly<Record<string, string | Uint8Array>> = {
      'no byte': '',
      'every byte value': everyByte,
      'a line like the last one': '{"a":1}\nhookbell-end 0\n\nhookbell-end 1\n',
      'a text without a final newline': '{"a":1}',
      '50 MB': Buffer.alloc(50_000_000, 'x'),
    };
    for (const [name, input] of Object.entries(inputs)) {
      test(`keeps ${name} unchanged (acceptance 020, fault 40)`, async () => {
        await using state = await temporaryDirectory();

        const run = await runHook(variant, input, { env: { HOOKBELL_STATE_DIR: state.path } });

        const { payload, isWhole } = onlyFile(state.path);
        assert.deepEqual({ ...noticeable(run), isWhole }, { ...unnoticed, isWhole: true });
        assert.ok(payload.equals(Buffer.from(input)));
      });
    }

    test('makes files readable only by the user, in a private spool (T1, T12)', async () => {
      await using home = await temporaryDirectory();
      const state = join(home.path, 'a', 'state');

      await runHook(variant, '{}', { env: { HOOKBELL_STATE_DIR: state } });

      const spool = join(state, 'spool');
      assert.equal(rightsOf(spool), '700');
      assert.equal(rightsOf(join(spool, onlyFile(state).name)), '600');
    });

    test('names a file by a random UUID (T3)', async () => {
      await using state = await temporaryDirectory();

      await runHook(variant, '{}', { env: { HOOKBELL_STATE_DIR: state.path } });

      assert.match(onlyFile(state.path).name, /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
    });

    test('takes a payload that comes in pieces as one (fault 41)', async () => {
      await using state = await temporaryDirectory();
      const { child, ended } = startHook(variant, { env: { HOOKBELL_STATE_DIR: state.path } });

      for (const piece of ['{"a"', ':1', '}']) {
        child.stdin.write(piece);
        await until(() => readSpool(state.path).some(({ text }) => text.endsWith(piece)));
      }
      child.stdin.end();
      const run = await ended;

      assert.deepEqual(noticeable(run), unnoticed);
      assert.equal(onlyFile(state.path).payload.toString(), '{"a":1}');
      assert.equal(onlyFile(state.path).isWhole, true);
    });

    test('leaves a file without its last line when it is killed (fault 5)', async () => {
      await using state = await temporaryDirectory();
      const { child, ended } = startHook(variant, { env: { HOOKBELL_STATE_DIR: state.path } });
      child.stdin.write('{"a":');
      await until(() => readSpool(state.path).some(({ text }) => text.endsWith('{"a":')));

      child.kill('SIGKILL');
      child.stdin.end('1}');
      await ended;

      assert.equal(onlyFile(state.path).isWhole, false);
    });

    test('goes on when the terminal closes while it reads (fault 5)', async () => {
      await using state = await temporaryDirectory();
      const { child, ended } = startHook(variant, { env: { HOOKBELL_STATE_DIR: state.path } });
      child.stdin.write('{"a":');
      await until(() => readSpool(state.path).some(({ text }) => text.endsWith('{"a":')));

      child.kill('SIGHUP');
      child.kill('SIGINT');
      child.stdin.end('1}');
      const run = await ended;

      assert.deepEqual(noticeable(run), unnoticed);
      assert.equal(onlyFile(state.path).isWhole, true);
    });

    test('works in a directory that is gone (agents: the working directory may be gone)', async () => {
      await using state = await temporaryDirectory();
      const gone = join(state.path, 'gone');
      mkdirSync(gone);
      const env = { HOOKBELL_STATE_DIR: state.path, GONE: gone };
      const wrapper = ['sh', '-c', 'cd "$GONE" && rmdir "$GONE" && exec "$@"', 'sh'];

      const run = await runHook(variant, '{}', { env, wrapper });

      assert.equal(run.code, 0);
      assert.equal(run.stdout, '');
      assert.equal(onlyFile(state.path).isWhole, true);
      assert.equal(existsSync(gone), false);
    });
  });
}

test('200 concurrent hooks lose and mix nothing (fault 45)', { timeout: 60_000 }, async () => {
  await using state = await temporaryDirectory();
  const available = hookVariants.filter(({ skip }) => skip === false);
  const claims = Array.from({ length: 200 }, (_, n) => `{"n":${n}}`);

  // From files: this process is too busy with starting them to feed 200 pipes in time.
  const runs = await Promise.all(
    claims.map((claim, n) => {
      const input = join(state.path, String(n));
      writeFileSync(input, claim);
      return runHook(available[n % available.length] ?? nodeVariant, '', {
        env: { HOOKBELL_STATE_DIR: state.path, INPUT: input },
        wrapper: ['sh', '-c', 'exec "$@" <"$INPUT"', 'sh'],
      });
    }),
  );

  for (const run of runs) assert.deepEqual(noticeable(run), unnoticed);
  const files = readSpool(state.path);
  assert.ok(files.every(({ isWhole }) => isWhole));
  assert.deepEqual(files.map(({ payload }) => payload.toString()).toSorted(), claims.toSorted());
});

function rightsOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

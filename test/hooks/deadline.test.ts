import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { until } from '../support/hookbell-home.ts';
import { mountHanging, needsHanging } from '../support/hung-file-system.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { onlyFile } from './read-spool.ts';
import { hangsNoLonger, hookVariants, noticeable, startHook, unnoticed } from './run-hook.ts';
import type { HookRun } from './run-hook.ts';

/** What is promised to agents, whose shortest usual limit for a hook is 5 s. */
function assertInTime({ elapsedMs }: HookRun): void {
  assert.ok(elapsedMs <= 5000, `It took ${elapsedMs} ms, promised are 5000`);
}

/**
 * A process cannot leave such a call by itself, so the time limit with which the hook is registered is what is left. Bash
 * and Node catch SIGTERM, and what is caught does not end such a call: for them it takes SIGKILL.
 */
describe('when the state directory is on a file system that never answers (A2)', () => {
  for (const variant of hookVariants) {
    const endsByTerm = ['dash', 'busybox'].includes(variant.name);
    for (const signal of endsByTerm ? (['SIGTERM', 'SIGKILL'] as const) : (['SIGKILL'] as const)) {
      test(
        `${variant.name}: the ${signal} of the agent's time limit ends the hook, and the agent sees no output`,
        { skip: variant.skip || needsHanging() },
        async () => {
          await using far = await mountHanging();
          far.hang();
          const state = join(far.path, 'state');
          const { child, ended } = startHook(variant, { args: ['--state', state] });
          child.stdin.end('{"a":1}');
          await until(() => waitsForAnswer(child.pid));

          child.kill(signal);

          const { stdout, stderr, elapsedMs } = await ended;
          assert.deepEqual([stdout, stderr], ['', '']);
          // Else it was the limit of startHook() that ended it.
          assert.ok(elapsedMs < hangsNoLonger.timeout);
        },
      );
    }
  }
});

/** Whether a thread of a process waits in FUSE. */
function waitsForAnswer(pid: number | undefined): boolean {
  const threads = `/proc/${pid}/task`;
  return readdirSync(threads).some((thread) =>
    readFileSync(`${threads}/${thread}/stack`, 'utf8').includes('request_wait_answer'),
  );
}

// In parallel, because each of them waits for 4 s.
describe('when standard input never closes', { concurrency: true, timeout: 20_000 }, () => {
  for (const variant of hookVariants) {
    test(
      `${variant.name}: the hook ends by itself and keeps what came (acceptance 022, fault 41)`,
      {
        skip: variant.skip,
      },
      async () => {
        await using state = await temporaryDirectory();
        const { child, ended } = startHook(variant, { env: { HOOKBELL_STATE_DIR: state.path } });

        child.stdin.write('{"a":1}');
        const run = await ended;
        child.stdin.end('too late');

        const { payload, isWhole } = onlyFile(state.path);
        assert.deepEqual({ ...noticeable(run), isWhole }, { ...unnoticed, isWhole: false });
        assert.equal(payload.toString(), '{"a":1}');
        assertInTime(run);
      },
    );

    test(
      `${variant.name}: the hook ends by itself though it has no spool (acceptance 022)`,
      {
        skip: variant.skip,
      },
      async () => {
        await using state = await temporaryDirectory();
        writeFileSync(join(state.path, 'spool'), 'a file');
        const { child, ended } = startHook(variant, { env: { HOOKBELL_STATE_DIR: state.path } });

        child.stdin.write('{"a":1}');
        const run = await ended;
        child.stdin.end();

        assert.deepEqual(noticeable(run), unnoticed);
        assertInTime(run);
      },
    );

    test(
      `${variant.name}: a payload in the last argument makes it irrelevant (Codex notify)`,
      {
        skip: variant.skip,
      },
      async () => {
        await using state = await temporaryDirectory();
        const { child, ended } = startHook(variant, {
          args: ['--agent', 'codex', '{"type":"agent-turn-complete"}'],
          env: { HOOKBELL_STATE_DIR: state.path },
        });

        const run = await ended;
        child.stdin.end();

        const { payload, isWhole, facts } = onlyFile(state.path);
        assert.deepEqual({ ...noticeable(run), isWhole }, { ...unnoticed, isWhole: true });
        assert.equal(payload.toString(), '{"type":"agent-turn-complete"}');
        assert.equal(facts['agent'], 'codex');
      },
    );
  }
});

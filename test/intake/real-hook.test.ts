import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { processExists } from '../../src/platform/process-table.ts';
import {
  hookVariants,
  nodeVariant,
  runHook,
  shellHookPath,
  shellVariants,
} from '../hooks/run-hook.ts';
import { deferred } from '../support/deferred.ts';
import { intakeRun } from '../support/intake-run.ts';
import { readPayloadFixture } from '../support/payload-fixtures.ts';
import { until } from '../support/until.ts';

const [dash = nodeVariant] = shellVariants;

function envOf(spool: string): Record<string, string> {
  return { HOOKBELL_STATE_DIR: dirname(spool), HOME: dirname(spool) };
}

describe('intake of what the real hook leaves', () => {
  for (const variant of hookVariants) {
    test(
      `${variant.name}: the event and its payload, byte for byte`,
      { skip: variant.skip },
      async () => {
        const committed = deferred();
        await using run = await intakeRun({ onCommitted: committed.resolve });
        run.intake.start();
        const payload = readPayloadFixture('odd/invalid-utf8-1.json');

        await runHook(variant, payload, {
          args: ['--agent', 'claude'],
          env: { ...envOf(run.spool), CLAUDE_CODE_SESSION_ATTENDED: '1' },
        });
        await committed.promise;

        const [record] = run.committed();
        assert.ok(record);
        assert.deepEqual(Buffer.from(record.payload), Buffer.from(payload));
        assert.equal(record.event.kind, 'turn.done');
        // The payload proves no agent, so a variable is not believed.
        assert.equal(record.event.attended, null);
        assert.deepEqual(run.left(), []);
      },
    );
  }

  test(
    'thirty concurrent hooks: every event once, whole (fault 45)',
    { skip: dash.skip },
    async () => {
      await using run = await intakeRun();
      run.intake.start();
      const env = envOf(run.spool);

      await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          runHook(dash, JSON.stringify({ hook_event_name: 'Stop', session_id: `s${index}` }), {
            env,
          }),
        ),
      );
      await run.intake.drain();

      const sessions = run.committed().map(({ event }) => event.sessionId);
      assert.equal(new Set(sessions).size, 30);
      assert.equal(sessions.length, 30);
      assert.deepEqual(run.quarantined, []);
    },
  );

  test(
    'a hook that is killed while its `cat` writes on: taken once, whole (fault 5)',
    { skip: dash.skip },
    async () => {
      await using run = await intakeRun({ isAlive: processExists });
      // Node closes the input of a child that exits, so its input comes from another one.
      const source = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] });
      const hook = spawn('dash', [shellHookPath], {
        env: { PATH: process.env['PATH'], ...envOf(run.spool) },
        stdio: [source.stdout, 'ignore', 'ignore'],
      });
      const content = () => readFileSync(join(run.spool, run.left()[0] ?? ''), 'utf8');
      source.stdin.write('{"hook_event_name":');
      await until(() => content().includes('hook_event_name'));
      hook.kill('SIGKILL');
      await once(hook, 'exit');
      await run.intake.drain();
      run.advance(2_900);
      await run.intake.drain();
      source.stdin.end('"Stop"}');
      await until(() => content().endsWith('"Stop"}'));

      for (const ms of [0, 1_500, 1_500]) {
        run.advance(ms);
        await run.intake.drain();
      }

      assert.deepEqual(
        run.committed().map(({ event }) => event.event),
        ['Stop'],
      );
      assert.deepEqual(run.quarantined, []);
    },
  );
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';
import type { CommandLine } from '../../support/command-line.ts';
import { sampleAlertView } from '../../support/sample-views.ts';

async function served(cli: CommandLine, count: number): Promise<unknown[]> {
  const asked: unknown[] = [];
  await cli.serve({
    'GET /v1/alerts': () =>
      Promise.resolve(
        Array.from({ length: count }, () => sampleAlertView({ session: 'claude:s1' })),
      ),
    'POST /v1/snooze': ({ body }) => {
      asked.push(body);
      const until = '2026-03-01T10:30:00.000Z';
      return Promise.resolve({ session: 's1', until, channels: ['desktop'] });
    },
    'POST /v1/open': ({ body }) => {
      asked.push(body);
      return Promise.resolve({ session: 's1', reason: asked.length > 1 ? 'it is closed' : null });
    },
  });
  return asked;
}

describe('hookbell snooze (B18)', () => {
  test('takes session and time, either of them, or none where one session alone waits', async () => {
    await using cli = await commandLine();
    const asked = await served(cli, 1);

    const { code, stderr } = await cli.run(['snooze', 's1', '2h']);
    await cli.run(['snooze', '10m']);
    await cli.run(['snooze']);

    assert.deepEqual([code, stderr], [0, 'Session s1 is snoozed until 2026-03-01 10:30:00\n']);
    assert.deepEqual(asked, [
      { session: 's1', forMs: 7_200_000 },
      { session: 'claude:s1', forMs: 600_000 },
      { session: 'claude:s1', forMs: 1_800_000 },
    ]);
  });

  test('changes nothing where several sessions wait, or the time is none', async () => {
    await using cli = await commandLine();
    const asked = await served(cli, 2);

    const several = await cli.run(['snooze', '10m']);
    const wrong = await cli.run(['snooze', 's1', 'soon']);

    assert.deepEqual([several.code, wrong.code, asked], [2, 2, []]);
    assert.match(several.stderr, /2 alerts are open\n {2}Run "hookbell sessions"/);
  });
});

test('hookbell open says whether the terminal is in front now, and why not (B18)', async () => {
  await using cli = await commandLine();
  await served(cli, 1);

  const opened = await cli.run(['open', 's1']);
  const failed = await cli.run(['open', 's1']);

  assert.deepEqual(opened, { code: 0, stdout: '', stderr: 'Session s1 is in front\n' });
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /Cannot open session "s1": it is closed\n {2}Run "hookbell logs/);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { programFile } from '../../src/platform/program-files.ts';
import { cutToWidth, displayWidth, fitWidths } from '../../src/cli/display-width.ts';
import { shortenIds } from '../../src/cli/short-id.ts';
import type { CommandLine } from '../support/command-line.ts';
import { commandLine } from '../support/command-line.ts';
import { runProcess } from '../support/run-process.ts';
import { sampleSessionView } from '../support/sample-views.ts';
import { needs } from '../support/system-part.ts';

const long = '日本語のとても長い題名です。'.repeat(8);

async function withSessions(): Promise<CommandLine> {
  const cli = await commandLine();
  await cli.serve({
    'GET /v1/sessions': () =>
      Promise.resolve([
        sampleSessionView({
          sessionId: '0b5b3d7e-9f6e-4c0f-8a53-6f7f2f0e1a2b',
          title: long,
          waitingFor: `Run ${'npm publish '.repeat(30)}?`,
        }),
        sampleSessionView({ sessionId: '0b5b3d7e-9f6e-4c0f-8a53-000000000000' }),
      ]),
  });
  return cli;
}

describe('tables (B13)', () => {
  test(
    'are cut to the width of the terminal, wide characters counted twice, and keep ids whole',
    { skip: needs('script') },
    async () => {
      await using cli = await withSessions();
      const call = `'${process.execPath}' '${programFile('commandLine')}' sessions`;

      const { stdout } = await runProcess(
        'script',
        ['--quiet', '--return', '--command', `stty cols 100; ${call}`, '/dev/null'],
        {
          cwd: cli.home,
          env: {
            PATH: process.env['PATH'] ?? '',
            HOME: cli.home,
            HOOKBELL_STATE_DIR: cli.paths.state,
            NO_COLOR: '1',
            SHELL: '/bin/sh',
          },
        },
      );

      const lines = stdout.split(/\r?\n/).filter((line) => line !== '');
      assert.equal(lines.length, 3, stdout);
      for (const line of lines) assert.ok(displayWidth(line) <= 100, line);
      assert.match(lines[1] ?? '', /^0b5b3d7e-9f6e-4c0f-8a53-6 +waiting .*日本.*…/);
    },
  );

  test('are whole where the output is not a terminal', async () => {
    await using cli = await withSessions();

    const { stdout } = await cli.run(['sessions'], { env: { COLUMNS: '40' } });

    assert.ok(stdout.includes(long));
    assert.ok(stdout.includes('npm publish '.repeat(29)));
  });
});

test('fitWidths() takes from the widest columns but the first, and uses all there is', () => {
  assert.deepEqual(fitWidths([8, 7, 60, 90], 200), [8, 7, 60, 90]);
  assert.deepEqual(fitWidths([8, 7, 60, 90], 75), [8, 7, 30, 30]);
  assert.deepEqual(fitWidths([8, 7, 60, 90], 76), [8, 7, 31, 30]);
  assert.deepEqual(fitWidths([8, 7, 60, 90], 5), [8, 6, 6, 6]);
});

test('cutToWidth() counts columns, not characters', () => {
  assert.equal(cutToWidth('abcdef', 6), 'abcdef');
  assert.equal(cutToWidth('abcdefg', 6), 'abcde…');
  assert.equal(cutToWidth('日本語日本語', 6), '日本…');
});

test('shortenIds() gives each id of a list its shortest unambiguous beginning', () => {
  const ids = ['0190a5e0-0000-7000', '0190a5e0-0000-7001', '0190a5e0-1', 'f3a1c2d4-aaaa', 's1'];
  const short = shortenIds(ids);

  assert.deepEqual(ids.map(short), [
    '0190a5e0-0000-7000',
    '0190a5e0-0000-7001',
    '0190a5e0-1',
    'f3a1c2d4',
    's1',
  ]);
});

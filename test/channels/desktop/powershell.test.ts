import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import desktop from '../../../src/channels/desktop/index.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { sampleNotification } from '../../support/sample.ts';
import { channelConformance, send } from '../conformance.ts';
import type { RecordedBackend } from './recorded-stage.ts';
import { openRecordedStage } from './recorded-stage.ts';
import { refOf } from './ref-of.ts';

const PROGRAM = 'System32/WindowsPowerShell/v1.0/powershell.exe';

const wish = z.looseObject({ title: z.string(), body: z.string() });

const powershell: RecordedBackend = {
  name: 'powershell',
  platform: 'win32',
  program: PROGRAM,
  readsInput: true,
  arrivalOf: ({ arguments: arguments_, input }) => {
    const { title, body, ...rest } = wish.parse(JSON.parse(input));
    return {
      shown: `${title}\n${body}`,
      shape: JSON.stringify([arguments_, Object.keys(rest), input.split('\n').length]),
    };
  },
};

channelConformance({ ...desktop, type: 'desktop by powershell' }, () =>
  openRecordedStage(powershell),
);

test('desktop by powershell: the script is constant, and texts come as one line of ASCII (T4)', async () => {
  await using stage = await openRecordedStage(powershell);

  await send(stage, sampleNotification({ title: '$(id) ü⏳', body: "a\n'b' 👍\u2028" }));

  const [run] = stage.programs.runs(PROGRAM);
  assert.deepEqual(run?.arguments.slice(0, 4), [
    '-NoLogo',
    '-NoProfile',
    '-NonInteractive',
    '-EncodedCommand',
  ]);
  const script = Buffer.from(run?.arguments[4] ?? '', 'base64').toString('utf16le');
  assert.match(script, /CreateTextNode\(\$wish\.title\)/);
  assert.match(script, /'\{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7\}\\WindowsPowerShell\\v1\.0\\/);
  assert.match(run?.input ?? '', /^[ -~]+\n$/);
  const { key, ...shown } = z.looseObject({}).parse(JSON.parse(run?.input ?? ''));
  assert.match(String(key), /^[0-9a-f]{16}$/);
  assert.deepEqual(shown, {
    action: 'show',
    title: '$(id) ü⏳',
    body: "a\n'b' 👍",
    silent: false,
    stays: true,
    expireMs: 0,
  });
});

test('desktop by powershell: withdraw names the toast by its tag', async () => {
  await using stage = await openRecordedStage(powershell);
  const ref = refOf(await send(stage, sampleNotification()));

  const withdrawn = await stage.channel.withdraw?.(ref, sendContext());

  assert.equal(withdrawn?.type, 'delivered');
  const [shown, removed] = stage.programs.runs(PROGRAM);
  const { key } = z.looseObject({}).parse(JSON.parse(shown?.input ?? ''));
  assert.deepEqual(JSON.parse(removed?.input ?? ''), { action: 'withdraw', key });
});

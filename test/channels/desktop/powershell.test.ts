import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { z } from 'zod';
import desktop from '../../../src/channels/desktop/index.ts';
import type { Reaction } from '../../../src/core/channel.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { retry } from '../../../src/core/outcome.ts';
import { needs } from '../../support/system-part.ts';
import { projectRoot } from '../../support/hookbell-home.ts';
import { runProcess } from '../../support/run-process.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { sampleNotification } from '../../support/sample.ts';
import { channelConformance, send } from '../conformance.ts';
import { openRecordedStage, type RecordedBackend, type RecordedStage } from './recorded-stage.ts';
import { refOf } from './ref-of.ts';

const PROGRAM = 'System32/WindowsPowerShell/v1.0/powershell.exe';

const wish = z.looseObject({ xml: z.string() });

const powershell: RecordedBackend = {
  name: 'powershell',
  platform: 'win32',
  program: PROGRAM,
  readsInput: true,
  arrivalOf: ({ arguments: arguments_, input }) => {
    const { xml, ...rest } = wish.parse(JSON.parse(input));
    return {
      shown: textsIn(xml).join('\n'),
      shape: JSON.stringify([arguments_, Object.keys(rest), input.split('\n').length]),
    };
  },
};

function textsIn(xml: string): readonly string[] {
  return [...xml.matchAll(/<text>([^<]*)<\/text>/g)].map(([, text = '']) => plain(text));
}

function plain(text: string): string {
  const signs: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replace(/&([\w#]+);/g, (_, name: string) => signs[name] ?? assert.fail(name));
}

/** Runs a stage in which the links of toasts are registered. */
async function openClickable(onReaction: (reaction: Reaction) => void): Promise<RecordedStage> {
  const stage = await openRecordedStage(powershell, {}, onReaction);
  await stage.programs.add('System32/reg.exe', { script: 'exit 0' });
  return stage;
}

async function shownXml(stage: RecordedStage, fields: Partial<Notification>): Promise<string> {
  await send(stage, sampleNotification(fields));
  return wish.parse(JSON.parse(stage.programs.runs(PROGRAM).at(-1)?.input ?? '')).xml;
}

/** What Windows would open: for a click on the toast itself, and for each button. */
function linksIn(xml: string) {
  const [, launch = null] = / launch="([^"]*)"/.exec(xml) ?? [];
  const buttons = [...xml.matchAll(/<action content="([^"]*)"[^>]* arguments="([^"]*)"/g)].map(
    ([, label = '', link = '']) => [plain(label), plain(link)],
  );
  return { launch, buttons };
}

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
  assert.match(script, /\$xml\.LoadXml\(\$wish\.xml\)/);
  assert.match(script, /'\{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7\}\\WindowsPowerShell\\v1\.0\\/);
  assert.match(run?.input ?? '', /^[ -~]+\n$/);
  const { key, xml, ...shown } = z.looseObject({}).parse(JSON.parse(run?.input ?? ''));
  assert.match(String(key), /^[0-9a-f]{16}$/);
  assert.deepEqual(shown, { action: 'show', expireMs: 0, evenIfHidden: false });
  assert.equal(
    xml,
    '<toast duration="long"><visual><binding template="ToastGeneric"><text>$(id) ü⏳</text><text>a\n&#39;b&#39; 👍</text></binding></visual><audio silent="false"/></toast>',
  );
});

for (const [code, why] of [
  ['3', '"do not disturb" is on'],
  ['4', 'Windows has notifications switched off, for all programs or for Windows PowerShell'],
] as const) {
  test(`desktop by powershell: exit code ${code} of the script means that nothing is shown: ${why}`, async () => {
    await using stage = await openRecordedStage(powershell);
    await stage.programs.add(PROGRAM, { script: `exit ${code}` });

    const outcome = await send(stage, sampleNotification());

    assert.deepEqual(outcome, retry(`Not shown: ${why}`, { hidden: 'next-step' }));
  });
}

describe('desktop by powershell: a toast', () => {
  const hostile = `<toast launch="x">&amp;]]><![CDATA[ "'\0\x1b\ud800\uffff $(calc) \`n @' '@ %1 👍`;
  const hash = 'a'.repeat(64);
  const decidable = {
    question: 'q-1',
    requestHash: hash,
    text: `rm -rf "$HOME" & <x>`,
    choices: ['allow', 'deny'],
    asks: [],
  } as const;
  const replyLink = { url: 'http://127.0.0.1:7447/reply/a?b=1&c=2', machine: 'pc', forMs: 1_000 };
  const all: readonly Partial<Notification>[] = [
    {},
    { title: hostile, body: hostile },
    { decidable, replyLink: { ...replyLink, decides: true } },
    { replyLink, quietly: true },
  ];

  test(
    'has the form that Microsoft documents, whatever is in it',
    { skip: needs('xmllint') },
    async () => {
      await using stage = await openClickable(() => undefined);
      const schema = join(projectRoot, 'test/channels/desktop/toast.xsd');
      const validated = (input: string) =>
        runProcess('xmllint', ['--noout', '--schema', schema, '-'], {
          env: { PATH: process.env['PATH'] ?? '' },
          input,
        });
      for (const fields of all) {
        const xml = await shownXml(stage, fields);
        const { code, stderr } = await validated(xml);
        assert.equal(code, 0, `${stderr}: ${xml}`);
        assert.equal(textsIn(xml).length, 2);
      }
      const wrong = await validated(
        '<toast><visual/><actions><action content="x"/></actions></toast>',
      );
      assert.notEqual(wrong.code, 0);
    },
  );

  test('a click acknowledges, and a button decides or opens the page', async () => {
    const reactions: Reaction[] = [];
    await using stage = await openClickable((reaction) => void reactions.push(reaction));
    const xml = await shownXml(stage, all[2] ?? {});
    const { launch, buttons } = linksIn(xml);
    const link = (label: string) => buttons.find(([name]) => name === label)?.[1] ?? '';

    assert.deepEqual(
      buttons.map(([label]) => label),
      ['Allow', 'Deny', 'See all'],
    );
    assert.equal(link('See all'), replyLink.url);
    assert.equal(stage.channel.takeClick?.(link('Deny').replace(/\d/, '9')), false);
    assert.equal(stage.channel.takeClick?.('hookbell:1/%'), false);
    assert.equal(stage.channel.takeClick?.(link('Deny')), true);
    const later = linksIn(await shownXml(stage, {})).launch ?? '';
    assert.notEqual(later, launch);
    assert.equal(stage.channel.takeClick?.(later), true);

    const [decided, clicked] = reactions;
    assert.ok(decided?.type === 'decided' && clicked?.type === 'acknowledged');
    const { choice, question, requestHash } = decided;
    assert.deepEqual(
      { choice, question, requestHash },
      { choice: 'deny', question: 'q-1', requestHash: hash },
    );
    assert.equal(stage.channel.lacks?.includes('acknowledge'), false);
  });

  test('can be clicked after the daemon was started again, and not where no link is registered', async () => {
    const reactions: Reaction[] = [];
    await using first = await openClickable(() => assert.fail());
    const outcome = await send(first, sampleNotification());
    const { xml } = wish.parse(JSON.parse(first.programs.runs(PROGRAM)[0]?.input ?? ''));
    await using next = await openClickable((reaction) => void reactions.push(reaction));
    await next.channel.resubscribe?.(refOf(outcome), sampleNotification());

    assert.equal(next.channel.takeClick?.(linksIn(xml).launch ?? ''), true);
    assert.equal(reactions.length, 1);

    await using without = await openRecordedStage(powershell);
    assert.deepEqual(linksIn(await shownXml(without, { decidable })), {
      launch: null,
      buttons: [],
    });
    assert.equal(without.channel.lacks?.includes('acknowledge'), true);
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

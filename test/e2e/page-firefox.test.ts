import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { permissionRequest, startAsking } from '../support/asking-hook.ts';
import { type Firefox, startFirefox } from '../support/firefox.ts';
import { until } from '../support/hookbell-home.ts';
import { pageHome, printedLink } from '../support/page-home.ts';
import { needs } from '../support/system-part.ts';

const textOf = (selector: string): string =>
  `document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`;

describe(
  'the page in a real Firefox',
  { skip: needs('firefox-esr', 'mkfifo'), timeout: 240_000 },
  () => {
    let firefox: Firefox;
    before(async () => {
      firefox = await startFirefox();
    });
    after(() => firefox[Symbol.asyncDispose]());

    test('a link signs in once, changes appear, a click on Allow reaches the hook', async () => {
      await using place = await pageHome();
      const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'Write tests' };
      await place.hook({ ...prompt, session_id: 'session-b', cwd: '/home/dev/api' });
      const link = await printedLink(place);
      const page = await firefox.openTab();

      await page.open(link);
      await until(async () => (await page.read(textOf('#live'))) === 'Live');
      const working = await page.read(textOf('#working h3'));
      using hook = startAsking(place, { ...permissionRequest, cwd: '/home/dev/shop' });
      await until(async () => /touch made/.test(await page.read(textOf('#waiting .request'))));
      const title = await page.read('document.title');
      // Clicks just after a change do not count.
      await until(async () => (await page.read('String(document.body.className)')) !== 'settling');
      await page.press('#waiting .yes');
      const { printed } = await hook.ended;
      await until(async () => (await page.read(textOf('#waiting'))) === '');
      await page.open(link);
      const again = await page.read(textOf('h1'));

      assert.equal(working, 'Write tests');
      assert.match(title, /^\(1\) Sessions/);
      assert.match(printed, /"behavior":"allow"/);
      assert.equal(again, 'This link was used or has expired');
      assert.deepEqual(firefox.problems, []);
      // It would look for the daemon of this test again and again.
      await page.open('about:blank');
    });

    test('the title of a hidden page shows how many sessions wait, on every page and in every tab', async () => {
      await using place = await pageHome();
      const first = await firefox.openTab();
      await first.open(await printedLink(place));
      await until(async () => (await first.read(textOf('#live'))) === 'Live');
      const root = await first.read('location.href');
      const second = await firefox.openTab();
      await second.open(`${root}waiting`);
      const front = await firefox.openTab();
      await front.open('about:blank');
      const isHidden = async (): Promise<string> =>
        `${await first.read('String(document.hidden)')} ${await second.read('String(document.hidden)')}`;
      await until(async () => (await isHidden()) === 'true true');

      using hook = startAsking(place, { ...permissionRequest, cwd: '/home/dev/shop' });
      await until(async () => (await first.read('document.title')).startsWith('(1) Sessions'));
      await until(async () => (await second.read('document.title')).startsWith('(1) Waiting'));
      const badge = await second.read(textOf('nav .badge:not([hidden])'));
      const ended = { ...permissionRequest, hook_event_name: 'SessionEnd', reason: 'exit' };
      await place.hook(ended, ['--agent', 'claude']);
      await until(async () => (await second.read('document.title')).startsWith('Waiting'));

      assert.equal(badge, '1');
      assert.equal(await second.read(textOf('nav .badge:not([hidden])')), '');
      await hook.ended;
    });
  },
);

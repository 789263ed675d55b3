import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { startMock } from '../support/reference-service/reference-server.ts';
import { addWaits } from '../support/add-waits.ts';
import { until } from '../support/hookbell-home.ts';
import { openLink, pageHome, signedIn } from '../support/page-home.ts';
import { needs } from '../support/system-part.ts';

const textOf = (selector: string): string =>
  `document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`;

describe(
  'parts of the page in a real browser',
  { skip: needs('chromium'), timeout: 240_000 },
  () => {
    test('with a key of the service: budgets, credits by day and digests; without one there is no such page', async () => {
      await using service = await startMock({ now: Date.now });
      await using place = await pageHome(`
api: { base_url: "${service.baseUrl}", app_url: "${service.appUrl}", key: { env: AGENT_KEY } }
budget: { organization: 1000000000, models: { "*": 1 } }
digest: { notify: log, at: "00:00", until: "23:59", timezone: UTC }
routes: [{ match: {}, notify: log }]
`);
      place.env['AGENT_KEY'] = service.keys.owner;
      await place.cli('stop');
      await addWaits(place.paths.database, 500, Date.now());
      await place.start();
      assert.equal((await place.cli('service', 'digest', 'send')).code, 0);
      const html = join(place.home, 'digest.html');
      assert.equal((await place.cli('service', 'digest', 'preview', '--html', html)).code, 0);
      await using browser = await signedIn(place);

      await browser.key('4');
      await until(async () => (await browser.read(textOf('h1'))) === 'Usage');
      const budgets = await browser.read(textOf('[aria-labelledby=h-budgets]'));
      const credits = await browser.read(textOf('[aria-labelledby=h-credits] tbody'));
      const digest = await browser.read(textOf('[aria-labelledby=h-digests] pre'));
      const all = await browser.read('document.documentElement.outerHTML');
      await browser.key('3');
      await until(async () => (await browser.read(textOf('h1'))) === 'Waiting time');
      const waiting = await browser.read(textOf('main'));
      const bars = await browser.read('String(document.querySelectorAll("main svg rect").length)');
      await using bare = await pageHome();
      await using other = await signedIn(bare);

      assert.match(
        budgets,
        /organization\s+\d+ %\s+[\d,]+ of 1,000,000,000 standard credits this month/,
      );
      assert.match(budgets, /used up/);
      assert.match(credits, /^\d{4}-\d\d-\d\d\s+[\d,]+/);
      assert.match(digest, /standard credits/);
      assert.match(digest, /WAITING FOR PEOPLE\s+\d.* until answers/);
      assert.match(await readFile(html, 'utf8'), /Waiting for people[^]*until answers, day by day/);
      assert.match(waiting, /Agents waited for answers\s+\d.*\s+\d+ requests/);
      assert.match(waiting, /What brought you back[^]*(?:desktop|ntfy) step [12]\s+\d+/);
      assert.ok(Number(bars) >= 7, bars);
      assert.ok(!all.includes(service.keys.owner));
      assert.equal(await other.read(textOf('nav')), 'Sessions\nTimeline\nWaiting time');
    });

    test('an event leads to its path, and to what would have to change for it to notify', async () => {
      await using place = await pageHome(`
routes: [{ match: { kind: failed, project: shop }, notify: log }]
`);
      const stop = { hook_event_name: 'Stop', session_id: 's1', cwd: '/home/dev/api' };
      await place.hook(stop, ['--agent', 'claude']);
      await until(async () => (await place.ask('GET /v1/history')).length === 1);
      await using browser = await signedIn(place);

      await browser.key('2');
      await until(async () => (await browser.read(textOf('h1'))) === 'Timeline');
      await browser.key('j');
      await browser.key('Enter');
      await until(async () => (await browser.read(textOf('#path'))) === 'What happened');
      const path = await browser.read(textOf('section[aria-labelledby=path]'));

      assert.match(path, /Classified\s+claude "Stop" means turn\.done/);
      assert.match(path, /What would have to change\s+One of these routes would have to match/);
      assert.match(path, /routes\[0\] plan .+\s+kind does not hold: turn\.done, wanted .*failed/);
      assert.match(path, /project does not hold: \/home\/dev\/api, wanted shop/);
    });

    test('a mute is set and removed by keys alone, and quiet hours are shown', async () => {
      await using place = await pageHome(
        'quiet_hours: { from: "22:00", to: "07:30", timezone: Europe/Berlin, days: [mon] }',
      );
      await using browser = await signedIn(place);

      await browser.key('m');
      await browser.type('shop');
      await browser.key('Enter');
      await until(async () => /project shop/.test(await browser.read(textOf('#mutes'))));
      const [mute] = await place.ask('GET /v1/mutes');
      await browser.read('String(document.querySelector("#mutes button").focus())');
      await browser.key('Enter');
      await until(async () => (await browser.read(textOf('#mutes'))) === '');

      assert.equal(mute?.project, 'shop');
      assert.deepEqual(await place.ask('GET /v1/mutes'), []);
      assert.match(
        await browser.read(textOf('#quiet')),
        /22:00–07:30\s+Mon\s+notifications are held, Europe\/Berlin/,
      );
    });

    test('quiet hours are set and removed in the configuration, and only by a browser that may allow', async () => {
      await using place = await pageHome('# Mine');
      const before = await readFile(place.paths.config, 'utf8');
      await using browser = await signedIn(place);
      await browser.key('q');
      const focused = await browser.read('document.activeElement.name');

      await browser.press('#quiet ~ form button');
      await until(async () => /22:00–07:30\s+every day/.test(await browser.read(textOf('#quiet'))));
      const set = await readFile(place.paths.config, 'utf8');
      const status = await place.ask('GET /v1/status');
      await until(
        async () => (await browser.read(textOf('#quiet ~ form button[name=off]'))) === 'Remove',
      );
      await browser.press('#quiet ~ form button[name=off]');
      await until(async () => (await browser.read(textOf('#quiet'))) === '');
      const { stdout: link } = await place.cli('open', '--print');
      await using looking = await openLink(link.trim());

      assert.equal(focused, 'from');
      assert.equal(set, `${before}quiet_hours: { from: "22:00", to: "07:30" }\n`);
      assert.equal(status.config.ok, true);
      assert.equal(await readFile(place.paths.config, 'utf8'), before);
      assert.equal(await looking.read('String(document.querySelector("#quiet ~ form"))'), 'null');
    });
  },
);

import assert from 'node:assert/strict';
import { test } from 'node:test';

import axe from 'axe-core';

import { startMock } from '../support/reference-service/reference-server.ts';
import { permissionRequest, startAsking } from '../support/asking-hook.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { until } from '../support/hookbell-home.ts';
import { openLink, pageHome, printedLink } from '../support/page-home.ts';
import { needs } from '../support/system-part.ts';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const examine = `axe.run(document, { runOnly: ${JSON.stringify(tags)} }).then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html).slice(0, 3)])))`;

/** What can be pressed and has neither a border, a separate background, an underline nor the mark of a fold. */
const plain = `JSON.stringify([...document.querySelectorAll('button, [role=button], a[href], summary, select')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.closest('nav, .brand') === null)
  .filter((one) => {
    const looks = [one, ...one.querySelectorAll('*')].map((part) => getComputedStyle(part));
    return !looks.some((look) =>
      (look.borderBottomStyle !== 'none' && parseFloat(look.borderBottomWidth) > 0) ||
      look.textDecorationLine.includes('underline') ||
      (look.display === 'list-item' && look.listStyleType !== 'none') ||
      (look.backgroundColor !== 'rgba(0, 0, 0, 0)' &&
        look.backgroundColor !== getComputedStyle(one.parentElement).backgroundColor));
  })
  .map(({ outerHTML }) => outerHTML.slice(0, 200)))`;

const looks = (['light', 'dark', 'high contrast'] as const).flatMap((look) =>
  [320, 768, 1440].map((width) => [look, width] as const),
);

/** Backgrounds are replaced there: whether the dot of the connection is seen, and what marks the current page. */
const marks = `[getComputedStyle(document.querySelector('.live .dot')).backgroundColor !== getComputedStyle(document.body).backgroundColor,
  getComputedStyle(document.querySelector('nav [aria-current]')).textDecorationLine].join()`;

const asking = {
  ...permissionRequest,
  session_id: 'session-q',
  tool_name: 'AskUserQuestion',
  tool_input: {
    questions: [{ question: 'Which one?', options: [{ label: 'A' }, { label: 'B' }] }],
  },
};

test(
  'the page has no violation of WCAG 2.2 AA in light, dark and high contrast at 320, 768 and 1440 px (axe-core), fits its width, and shows what can be pressed',
  { skip: needs('chromium', 'mkfifo'), timeout: 480_000 },
  async () => {
    await using service = await startMock({ now: Date.now });
    await using place = await pageHome(`
api: { base_url: "${service.baseUrl}", key: { env: AGENT_KEY } }
budget: { organization: 1000000000, models: { "*": 1 } }
digest: { notify: log, at: "00:00", until: "23:59", timezone: UTC }
`);
    place.env['AGENT_KEY'] = service.keys.owner;
    await place.cli('restart');
    assert.equal((await place.cli('service', 'digest', 'send')).code, 0);
    using hook = startAsking(place);
    using question = startAsking(place, asking);
    for (const text of hostileTexts.filter((_, index) => index % 4 === 0)) {
      const prompt = { hook_event_name: 'UserPromptSubmit', session_id: text, prompt: text };
      await place.hook({ ...prompt, cwd: '/w/x' }, ['--agent', 'claude']);
    }
    await place.cli('mute', '1h', '--project', 'elsewhere');
    await until(async () => (await place.ask('GET /v1/questions')).length === 2);
    await using browser = await openLink(await printedLink(place), { limitMs: 240_000 });
    const root = await browser.read('location.href');
    await browser.open(`${root}timeline`);
    const event = await browser.read('document.querySelector(".event").href');
    for (const url of [root, `${root}timeline`, event, `${root}waiting`, `${root}usage`]) {
      await browser.open(url);
      await browser.read(`${axe.source}; ""`);
      for (const [look, width] of looks) {
        await browser.show({
          scheme: look === 'dark' ? 'dark' : 'light',
          isHighContrast: look === 'high contrast',
          width,
          height: 640,
          // A window is not narrower than 500 px.
          isPhone: width < 500,
        });
        const shown = `${look}, ${width}: ${url.replace(root, '')}`;
        if (look === 'high contrast' && url === root) {
          assert.equal(await browser.read(marks), 'true,underline', shown);
        }
        const violations = await browser.evaluate(examine);
        const unlikely = await browser.evaluate(plain);
        const [innerWidth, tooWide] = (
          await browser.read(
            '[innerWidth, document.documentElement.scrollWidth - innerWidth].join()',
          )
        ).split(',');

        assert.equal(violations, '[]', shown);
        assert.equal(unlikely, '[]', `${shown}: can be pressed`);
        assert.equal(innerWidth, String(width), shown);
        assert.ok(Number(tooWide) <= 0, `${shown}: ${tooWide} px too wide`);
      }
    }
    assert.deepEqual([hook.hook.exitCode, question.hook.exitCode], [null, null]);
  },
);

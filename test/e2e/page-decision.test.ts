import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { permissionRequest, startAsking } from '../support/asking-hook.ts';
import { startBrowser } from '../support/browser.ts';
import { commandLines } from '../support/command-lines.ts';
import { until } from '../support/hookbell-home.ts';
import { startNotificationServer } from '../support/notification-server.ts';
import { createRecorder } from '../support/recorder.ts';
import {
  askPage,
  postForm,
  type ReplyPageHome,
  replyPageHome,
} from '../support/reply-page-home.ts';
import { needs } from '../support/system-part.ts';

const LINK = /http:\/\/127\.0\.0\.1:\d+\/reply\/([\w-]{43})/;
const plan = {
  ...permissionRequest,
  tool_name: 'ExitPlanMode',
  tool_input: { plan: `# The plan\n${'A step\n'.repeat(60)}The last step`, planFilePath: 'p.md' },
};
const asking = {
  ...permissionRequest,
  tool_name: 'AskUserQuestion',
  tool_input: {
    questions: [
      { question: 'Which database?', options: [{ label: 'PostgreSQL' }, { label: 'SQLite' }] },
      {
        question: 'Which tests?',
        options: [{ label: 'Unit' }, { label: 'E2E' }],
        multiSelect: true,
      },
      { question: 'Which name?', options: [] },
    ],
  },
};

/** The link that Slack got with such a request. */
async function linkIn({ slack }: ReplyPageHome, about: string): Promise<string> {
  const link = (): string | undefined =>
    LINK.exec(slack.requests.find(({ body }) => body.includes(about))?.body ?? '')?.[0];
  await until(() => link() !== undefined);
  return link() ?? '';
}

async function decisionOf({ ended }: ReturnType<typeof startAsking>): Promise<unknown> {
  const { code, printed } = await ended;
  assert.equal(code, 0);
  return JSON.parse(printed).hookSpecificOutput.decision;
}

/** What a browser posts. */
async function decide(link: string, fields: Readonly<Record<string, string>>) {
  return askPage(link, {
    method: 'POST',
    headers: {
      origin: new URL(link).origin,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(fields).toString(),
  });
}

const hashIn = (page: string): string => /name="request" value="(\w{64})"/.exec(page)?.[1] ?? '';
const choicesIn = (page: string): readonly string[] =>
  [...page.matchAll(/name="choice" value="([\w-]+)"/g)].map(([, choice = '']) => choice);

describe('the reply page decides a request', { skip: needs('mkfifo'), timeout: 240_000 }, () => {
  test(
    'in a real browser: Allow below the whole request reaches the hook, once',
    { skip: needs('chromium') },
    async () => {
      await using home = await replyPageHome();
      using hook = startAsking(home.place);
      const link = await linkIn(home, 'touch made');
      await using browser = await startBrowser();

      await browser.open(link);
      const shown = await browser.read('document.querySelector("pre").textContent');
      await browser.click('button[value="allow"]');
      const receipt = await browser.read('document.body.innerText');
      const decision = await decisionOf(hook);
      await browser.open(link);
      const again = await browser.read('document.body.innerText');

      assert.equal(shown, 'Bash\n  command: touch made\n  description: Make a file');
      assert.match(receipt, /^Allowed\s+The answer was sent to the agent\./);
      assert.deepEqual(decision, { behavior: 'allow' });
      assert.match(again, /Already decided\s+Allowed at \d\d:\d\d by .+ \(reply page\)/);
    },
  );

  test(
    'in a real browser: Deny with words, answers to three questions, and a plan in full',
    { skip: needs('chromium') },
    async () => {
      await using home = await replyPageHome();
      await using browser = await startBrowser({ height: 2400 });
      using denied = startAsking(home.place);
      await browser.open(await linkIn(home, 'touch made'));
      await browser.read('String(document.querySelector("textarea").focus())');
      await browser.type('Use "staging"');
      await browser.click('button[value="deny"]');

      using asked = startAsking(home.place, { ...asking, session_id: 'session-b' });
      await browser.open(await linkIn(home, 'Which database'));
      for (const choice of [
        'option0" i][value="1',
        'option1" i][value="0',
        'option1" i][value="1',
      ]) {
        await browser.read(`String(document.querySelector('input[name="${choice}"]').click())`);
      }
      await browser.read('String(document.querySelector(\'input[name="text2"]\').focus())');
      await browser.type('A name');
      await browser.click('button[value="answer"]');

      using planned = startAsking(home.place, { ...plan, session_id: 'session-c' });
      await browser.open(await linkIn(home, 'The plan'));
      const shown = await browser.read('document.querySelector("pre").textContent');
      await browser.read(
        'String(document.querySelector(\'button[value="allow"]\').scrollIntoView())',
      );
      await browser.click('button[value="allow"]');

      assert.deepEqual(await decisionOf(denied), { behavior: 'deny', message: 'Use "staging"' });
      assert.deepEqual(await decisionOf(asked), {
        behavior: 'allow',
        updatedInput: {
          questions: asking.tool_input.questions,
          answers: {
            'Which database?': 'SQLite',
            'Which tests?': 'Unit, E2E',
            'Which name?': 'A name',
          },
        },
      });
      assert.ok(shown.includes('The last step'));
      assert.deepEqual(await decisionOf(planned), {
        behavior: 'allow',
        updatedInput: { plan: plan.tool_input.plan },
      });
    },
  );

  test('refuses another request, an unknown choice and other sites; the terminal was first', async () => {
    await using home = await replyPageHome();
    using hook = startAsking(home.place);
    const link = await linkIn(home, 'touch made');
    const page = (await askPage(link)).body;
    const request = hashIn(page);

    const wrongHash = await decide(link, { request: 'f'.repeat(64), choice: 'allow' });
    const wrongChoice = await decide(link, { request, choice: 'allow-session' });
    const asText = await postForm(link, 'Yes, go on');
    const otherSite = await askPage(link, {
      method: 'POST',
      headers: { origin: 'https://evil.test', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ request, choice: 'allow' }).toString(),
    });
    assert.equal(hook.hook.exitCode, null);
    const { tool_name, tool_input } = permissionRequest;
    const ran = { hook_event_name: 'PostToolUse', tool_name, tool_input, tool_response: {} };
    await home.place.hook({ ...permissionRequest, ...ran });
    const ended = await hook.ended;
    const late = await decide(link, { request, choice: 'deny', words: 'Not this' });

    assert.deepEqual(choicesIn(page), ['allow', 'deny']);
    assert.deepEqual(
      [wrongHash.status, wrongChoice.status, asText.status, otherSite.status, late.status],
      [410, 400, 400, 403, 410],
    );
    assert.match(wrongHash.body, /asks for something else/);
    assert.match(late.body, /Answered in the terminal at \d\d:\d\d[^]*readonly>Not this</);
    assert.deepEqual(ended, { code: 0, printed: '' });
  });

  test('of ten clicks at the same time one decides', async () => {
    await using home = await replyPageHome({ notify: 'team' });
    using hook = startAsking(home.place);
    const link = await linkIn(home, 'touch made');
    const request = hashIn((await askPage(link)).body);

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        decide(link, { request, choice: index % 2 === 0 ? 'allow' : 'deny' }),
      ),
    );

    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    const heading = /<h1 class="good"><bdi>(\w+)/.exec(won[0]?.body ?? '')?.[1];
    const { behavior } = JSON.parse((await hook.ended).printed).hookSpecificOutput.decision;
    assert.equal(heading, behavior === 'allow' ? 'Allowed' : 'Denied');
  });

  test('a request with a secret is shown without it, and can only be denied', async () => {
    await using home = await replyPageHome();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    using hook = startAsking(home.place, {
      ...permissionRequest,
      tool_input: { command: `curl -H "Authorization: Bearer ${token}" x.test` },
    });
    const link = await linkIn(home, 'curl');
    const { body } = await askPage(link);

    const allowed = await decide(link, { request: hashIn(body), choice: 'allow' });
    const denied = await decide(link, { request: hashIn(body), choice: 'deny' });

    assert.ok(!body.includes(token));
    assert.deepEqual(choicesIn(body), ['deny']);
    assert.deepEqual([allowed.status, denied.status], [400, 200]);
    assert.match((await hook.ended).printed, /"behavior":"deny"/);
  });

  test('a link that a file named for the browser can only deny, and no secret that allows is in a file, an argument or the log', async () => {
    await using server = await startNotificationServer(['actions', 'body']);
    await using opener = await createRecorder();
    await opener.add('xdg-open', { script: 'cat "$1" > "$0.page"; sleep 5' });
    await using home = await replyPageHome({
      notify: 'desktop, team',
      desktop: {
        DBUS_SESSION_BUS_ADDRESS: server.address,
        PATH: `${opener.directory}:${process.env['PATH']}`,
      },
    });
    using hook = startAsking(home.place);
    const slack = await linkIn(home, 'touch made');
    await until(() => server.calls.some(({ actions }) => actions.includes('See all')));
    const call = server.calls.find(({ actions }) => actions.includes('See all'));

    server.click(call?.id ?? 0, 'reply');
    await until(() => LINK.test(opener.read('xdg-open.page')));
    const [opened = ''] = LINK.exec(opener.read('xdg-open.page')) ?? [];
    const { body } = await askPage(opened);
    const allowed = await decide(opened, { request: hashIn(body), choice: 'allow' });

    const token = LINK.exec(slack)?.[1] ?? 'no token';
    const lines = [...(await commandLines()).values()].join('\n');
    const names = await readdir(home.place.paths.state, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile());
    const texts = await Promise.all(
      files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
    );

    assert.match(body, /command: touch made/);
    assert.deepEqual(choicesIn(body), ['deny']);
    assert.equal(allowed.status, 400);
    assert.equal(hook.hook.exitCode, null);
    assert.notEqual(opened, slack);
    assert.ok(files.length > 0 && !texts.some((text) => text.includes(token)));
    assert.ok(!lines.includes(token));
    assert.deepEqual(choicesIn((await askPage(slack)).body), ['allow', 'deny']);
  });
});

// Requests of the real Claude Code, decided in a Slack thread: Slack's own client libraries in the daemon, the fake Slack of the
// tests, and a scripted model. The files that the agent makes and its next request to the model are the truth.
//
//   npm run test:slack
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { resolvePaths } from '../../src/core/paths.ts';
import { type FakeSlack, fakeTokens, startFakeSlack } from '../support/fake-slack.ts';
import type { SlackPost } from '../support/slack-post.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { liveAgents } from './agents.ts';
import { openScene, type Scene, until } from './answer-scene.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import { installPackage, packageFolder } from './programs.ts';

const agent = liveAgents.find((one) => one.agent === 'claude');
assert.ok(agent);
const claude = agent;

/** Each way through the network between Slack and this machine, ms. */
const NETWORK_MS = 50;

const scripts = {
  'Make one': [{ run: 'touch one.txt' }, { say: 'One is made' }],
  'Make two': [{ run: 'touch two.txt' }, { say: 'Two is not made' }],
  'Make three': [{ run: 'touch three.txt' }, { say: 'Three is not made' }],
  'Make four': [{ run: 'touch four.txt' }, { say: 'Four is made' }],
  'Choose one': [{ ask: 'Which database should I use?' }, { say: 'Thanks for one' }],
};

interface Stage {
  readonly scene: Scene;
  readonly slack: FakeSlack;
}

const rows: Readonly<Record<string, (stage: Stage) => Promise<string>>> = {
  'a press on Allow: the command runs': async ({ scene, slack }) => {
    const post = await askedInSlack({ scene, slack }, 'Make one');
    await slack.press(post, 'allow', 'U0EVE');
    assert.equal(scene.made('one.txt'), false);
    const startedAt = performance.now();
    await slack.press(post, 'allow');
    await until(() => scene.made('one.txt'));
    const ms = performance.now() - startedAt;
    await scene.shows(/One is made/);
    assert.equal((await scene.closed()).state, 'confirmed');
    await until(() => shownIn(post).includes('by Slack member T0FAKE:U0ADA'));
    return `file made ${ms.toFixed(0)} ms after the press, with ${NETWORK_MS} ms of network each way`;
  },
  'Deny with words: they are in the next request to the model': async ({ scene, slack }) => {
    const post = await askedInSlack({ scene, slack }, 'Make two');
    await slack.press(post, 'words');
    await until(() => slack.views.length === 1);
    const [window] = slack.views;
    assert.ok(window);
    await slack.submit(window, 'Use the "staging" <bucket>');
    await scene.shows(/Two is not made/);
    assert.equal(scene.made('two.txt'), false);
    assert.ok(scene.modelWasSent('Use the "staging" <bucket>'));
    assert.equal((await scene.closed()).state, 'confirmed');
    return 'no file, and the words arrived';
  },
  'words in the thread: they deny': async ({ scene, slack }) => {
    const post = await askedInSlack({ scene, slack }, 'Make three');
    await slack.reply(post.thread ?? '', 'Not before <noon> & never on Fridays');
    await scene.shows(/Three is not made/);
    assert.equal(scene.made('three.txt'), false);
    assert.ok(scene.modelWasSent('Not before <noon> & never on Fridays'));
    return 'no file, and the words arrived';
  },
  'a question: the button of an option': async ({ scene, slack }) => {
    const post = await askedInSlack({ scene, slack }, 'Choose one');
    await slack.press(post, 'option0');
    await scene.shows(/Thanks for one/);
    assert.ok(scene.modelWasSent('"Which database should I use?"="SQLite"'));
    return 'the option arrived';
  },
  'answered in the terminal first: the buttons go, and a press does nothing': async ({
    scene,
    slack,
  }) => {
    const post = await askedInSlack({ scene, slack }, 'Make four');
    await scene.shows(/Do you want to proceed\?/);
    await scene.terminal.press('1');
    await until(() => scene.made('four.txt'));
    const startedAt = performance.now();
    await until(() => !shownIn(post).includes('"actions"'));
    const ms = performance.now() - startedAt;
    await slack.press(post, 'deny');
    await scene.shows(/Four is made/);
    assert.equal((await scene.closed()).state, 'released');
    return `the buttons were gone ${ms.toFixed(0)} ms after the file was made`;
  },
};

process.exitCode = isIsolated() ? await examine() : await prepare();

async function prepare(): Promise<number> {
  const trouble = await installPackage(claude);
  if (trouble !== null) throw new Error(trouble);
  await using directory = await temporaryDirectory();
  const XDG_CACHE_HOME = join(packageFolder({ npm: 'x', version: '0' }), '..', '..');
  return await runIsolated({ TMPDIR: directory.path, XDG_CACHE_HOME });
}

async function examine(): Promise<number> {
  await using directory = await temporaryDirectory();
  await using slack = await startFakeSlack({ networkMs: NETWORK_MS });
  await using scene = await openScene(claude, scripts, join(directory.path, 'programs'));
  await configure(scene.home, slack);
  await scene.start();
  let failed = 0;
  for (const [name, play] of Object.entries(rows)) {
    try {
      process.stdout.write(`ok  ${name}: ${await play({ scene, slack })}\n`);
    } catch (error) {
      failed += 1;
      const reason = error instanceof Error ? error.message : String(error);
      process.stdout.write(`BAD ${name}: ${reason}\n${await scene.terminal.screen()}\n`);
      await scene.terminal.press(...claude.keys.escape);
    }
  }
  return failed === 0 ? 0 : 1;
}

async function configure(home: string, slack: FakeSlack): Promise<void> {
  for (const [name, token] of Object.entries(fakeTokens)) {
    await writeFile(join(home, `slack-${name}`), token, { mode: 0o600 });
  }
  const { config } = resolvePaths({ HOME: home }, process.platform, home);
  await writeFile(
    config,
    `channels:
  team:
    type: slack
    server: ${slack.server}
    bot_token: { file: ~/slack-bot }
    app_token: { file: ~/slack-app }
    to: C0TEAM
    members: ['T0FAKE:U0ADA']
routes: [{ match: { kind: waiting }, notify: [team] }]
alerts: { settle: 0 }
`,
  );
}

function shownIn(post: SlackPost): string {
  return JSON.stringify(post.blocks);
}

/** Lets the agent ask, and returns the post with the buttons for it. */
async function askedInSlack({ scene, slack }: Stage, text: string): Promise<SlackPost> {
  const before = slack.posts.length;
  await scene.type(text);
  await scene.held();
  const find = (): SlackPost | undefined =>
    slack.posts.slice(before).find((post) => /"action_id":"(?:allow|option0)"/.test(shownIn(post)));
  await until(() => find() !== undefined && slack.connections() > 0);
  const post = find();
  assert.ok(post);
  return post;
}

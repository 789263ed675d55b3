// Requests of the real Claude Code, decided by taps on a phone: the real ntfy server and its own client, which executes buttons
// exactly as they were delivered, and a scripted model. The files that the agent makes are the truth.
//
//   npm run test:phone
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { resolvePaths } from '../../src/core/paths.ts';
import { type NtfyPhone, type NtfyServer, startNtfy } from '../support/ntfy-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { liveAgents } from './agents.ts';
import { openScene, type Scene, until } from './answer-scene.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import { installPackage, packageFolder } from './programs.ts';

const agent = liveAgents.find((one) => one.agent === 'claude');
assert.ok(agent);
const claude = agent;

/** From an answer until the notification is gone, ms; a second is expected, and a busy machine gets two. */
const GONE_WITHIN_MS = 2_000;

const scripts = {
  'Make one': [{ run: 'touch one.txt' }, { say: 'One is made' }],
  'Make two': [{ run: 'touch two.txt' }, { say: 'Two is not made' }],
  'Make three': [{ run: 'touch three.txt' }, { say: 'Three is made' }],
};

interface Stage {
  readonly scene: Scene;
  readonly server: NtfyServer;
  readonly phone: NtfyPhone;
}

const rows: Readonly<Record<string, (stage: Stage) => Promise<string>>> = {
  'a tap on Allow: the command runs': async (stage) => {
    const shown = await askedOnPhone(stage, 'Make one');
    assert.equal(stage.scene.made('one.txt'), false);
    const startedAt = performance.now();
    assert.equal(await stage.phone.press('Allow', shown), 200);
    await until(() => stage.scene.made('one.txt'));
    const ms = performance.now() - startedAt;
    await stage.scene.shows(/One is made/);
    assert.equal((await stage.scene.closed()).state, 'confirmed');
    return `file made ${ms.toFixed(0)} ms after the tap`;
  },
  'a tap on Deny: it does not run': async (stage) => {
    const shown = await askedOnPhone(stage, 'Make two');
    await stage.phone.press('Deny', shown);
    await stage.scene.shows(/Two is not made/);
    assert.equal(stage.scene.made('two.txt'), false);
    assert.equal((await stage.scene.closed()).state, 'confirmed');
    return 'no file';
  },
  'answered in the terminal first: the notification is gone, and a tap does nothing': async (
    stage,
  ) => {
    const shown = await askedOnPhone(stage, 'Make three');
    await stage.scene.terminal.press('1');
    await until(() => stage.scene.made('three.txt'));
    const startedAt = performance.now();
    await until(async () => (await stage.server.shown()).length === 0);
    const ms = performance.now() - startedAt;
    await stage.scene.shows(/Three is made/);
    await stage.phone.press('Deny', shown);
    assert.equal((await stage.scene.closed()).state, 'released');
    assert.ok(ms < GONE_WITHIN_MS, `gone after ${ms} ms`);
    return `gone ${ms.toFixed(0)} ms after the file was made`;
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
  await using server = await startNtfy('2.27', 'visitor-request-limit-burst: 10000');
  await using phone = await server.phone();
  await using scene = await openScene(claude, scripts, join(directory.path, 'programs'));
  await configure(scene.home, server);
  await scene.start();
  let failed = 0;
  for (const [name, play] of Object.entries(rows)) {
    try {
      process.stdout.write(`ok  ${name}: ${await play({ scene, server, phone })}\n`);
    } catch (error) {
      failed += 1;
      const reason = error instanceof Error ? error.message : String(error);
      process.stdout.write(`BAD ${name}: ${reason}\n${await scene.terminal.screen()}\n`);
      await scene.terminal.press(...claude.keys.escape);
    }
  }
  return failed === 0 ? 0 : 1;
}

async function configure(home: string, server: NtfyServer): Promise<void> {
  const secrets = { 'ntfy-token': server.token, 'ntfy-answer-token': server.answerToken };
  for (const [name, secret] of Object.entries(secrets)) {
    await writeFile(join(home, name), secret, { mode: 0o600 });
  }
  const { config } = resolvePaths({ HOME: home }, process.platform, home);
  await writeFile(
    config,
    `channels:
  phone:
    type: ntfy
    server: ${server.url}
    topic: agents
    token: { file: ~/ntfy-token }
    answer_topic: answers
    answer_token: { file: ~/ntfy-answer-token }
routes: [{ match: { kind: needs.permission }, notify: [phone] }]
alerts: { settle: 0 }
`,
  );
}

/** Lets the agent ask, and returns the message that the phone shows for it. */
async function askedOnPhone({ scene, phone }: Stage, text: string) {
  const before = phone.received.length;
  await scene.type(text);
  await scene.held();
  const find = () =>
    phone.received
      .slice(before)
      .find(({ actions = [] }) => actions.some(({ label }) => label === 'Allow'));
  await until(() => find() !== undefined);
  const shown = find();
  assert.ok(shown);
  return shown;
}

// Words to a session of the real Codex CLI with "hookbell reply", and a scripted model: its next request and the transcript are the
// truth.
//
//   npm run test:words
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { callDaemon } from '../../src/control/control-client.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { liveAgents } from './agents.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import { openLiveHome } from './live-home.ts';
import { openScriptedModel } from './model.ts';
import { installPackage, packageFolder } from './programs.ts';

const cli = join(projectRoot, 'dist/program/cli.js');
const WORDS = 'Second turn: /quit is plain text, and "so" is $(this)';

process.exitCode = isIsolated() ? await examine() : await prepare();

async function prepare(): Promise<number> {
  const agent = liveAgents.find((one) => one.agent === 'codex');
  const trouble = agent === undefined ? 'There is no such agent' : await installPackage(agent);
  if (trouble !== null) throw new Error(trouble);
  await using directory = await temporaryDirectory();
  const XDG_CACHE_HOME = join(packageFolder({ npm: 'x', version: '0' }), '..', '..');
  return await runIsolated({ TMPDIR: directory.path, XDG_CACHE_HOME });
}

async function examine(): Promise<number> {
  const agent = liveAgents.find((one) => one.agent === 'codex');
  assert.ok(agent);
  await using directory = await temporaryDirectory();
  const log = join(directory.path, 'model.jsonl');
  await using model = await openScriptedModel(
    {
      'First turn': [{ say: 'The first is done' }],
      'Second turn': [{ say: 'The second is done' }],
    },
    log,
  );
  const bin = join(packageFolder(agent), 'node_modules/.bin');
  await using home = await openLiveHome(agent, join(bin, agent.program), model.url);
  const env = { HOME: home.home, PATH: `${bin}:${process.env['PATH']}`, LANG: 'C.UTF-8' };
  const run = (...words: readonly string[]) =>
    runProcess(process.execPath, [cli, ...words], { env });
  const installed = await run('install', '--yes', '--no-service', '--agent', 'codex');
  assert.equal(installed.code, 0, installed.stderr);
  const paths = resolvePaths(env, process.platform, home.home);
  const terminal = home.openTerminal(home.projects[0] ?? home.home);
  await terminal.start(agent.interactive);
  await until('Codex is ready', async () => {
    const screen = await terminal.screen();
    const dialog = agent.dialogs.find(([shown]) => shown.test(screen));
    if (dialog !== undefined) await terminal.press(...dialog.slice(1).map(String));
    return dialog === undefined && agent.ready.test(screen);
  });
  await delay(500);
  await terminal.type('First turn');
  await delay(500);
  await terminal.press('Enter');
  await until('the first turn ends', async () => /The first is done/.test(await terminal.screen()));
  const id = async (): Promise<string | null> =>
    (await callDaemon(paths, 'GET /v1/sessions')).find((one) => one.agent === 'codex')?.sessionId ??
    null;
  await until('hookbell knows the session', async () => (await id()) !== null);
  // A session that still ends its turn takes the words later.
  await home.quiet(3_000);

  const sent = await run('reply', (await id())?.slice(0, 23) ?? 'no id', WORDS);
  await until('the second turn ends', async () =>
    /The second is done/.test(await terminal.screen()),
  );
  const odd = await run('reply', (await id()) ?? 'no id', WORDS, '--key', 'x');

  assert.equal(sent.code, 0, sent.stderr);
  assert.match(sent.stderr, /Read back: the session has the exact text/);
  const last = readFileSync(log, 'utf8').trim().split('\n').at(-1) ?? '';
  assert.ok(last.includes(JSON.stringify(WORDS).slice(1, -1)), 'the model did not get the words');
  assert.match(odd.stderr, /Codex CLI takes only text/);
  process.stdout.write('ok  words to an idle session: the model and the transcript have them\n');
  return 0;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 90_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It did not come true that ${what}`);
    await delay(250);
  }
}

// Real hosts with "hookbell mcp", registered by "hookbell install --mcp", and a scripted model that calls both tools: a person is
// notified, answers from another terminal, and the next request to the model has the answer.
//
//   npm run test:mcp -- [--agent claude] [--agent codex]
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { callDaemon } from '../../src/control/control-client.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { personAtTerminal } from '../support/person.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { liveAgents } from './agents.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import type { LiveAgent } from './live-agent.ts';
import { openLiveHome } from './live-home.ts';
import { openScriptedModel } from './model.ts';
import { installPackage, packageFolder } from './programs.ts';

const PROMPT = 'Find the bucket';
const QUESTION = 'Which bucket should I use?';

/** What each host calls the tools, and what lets it call them without asking. */
const hosts: Readonly<
  Record<string, { readonly prefix: string; readonly words: readonly string[] }>
> = {
  claude: {
    prefix: 'mcp__hookbell__',
    words: ['--allowedTools', 'mcp__hookbell__notify,mcp__hookbell__ask'],
  },
  codex: { prefix: 'mcp__hookbell.', words: [] },
};

const { values } = parseArgs({ options: { agent: { type: 'string', multiple: true } } });
const chosen = liveAgents.filter(({ agent }) =>
  (values.agent ?? Object.keys(hosts)).includes(agent),
);
process.exitCode = isIsolated() ? await examineAll() : await prepare();

async function prepare(): Promise<number> {
  for (const agent of chosen) {
    const trouble = await installPackage(agent);
    if (trouble !== null) throw new Error(trouble);
  }
  await using directory = await temporaryDirectory();
  const XDG_CACHE_HOME = join(packageFolder({ npm: 'x', version: '0' }), '..', '..');
  return await runIsolated({ TMPDIR: directory.path, XDG_CACHE_HOME });
}

async function examineAll(): Promise<number> {
  for (const agent of chosen) {
    await examine(agent);
    process.stdout.write(`ok  ${agent.agent} ${agent.version}: notify and ask, with the answer\n`);
  }
  return 0;
}

async function examine(agent: LiveAgent): Promise<void> {
  const { prefix = '', words = [] } = hosts[agent.agent] ?? {};
  await using directory = await temporaryDirectory();
  const log = join(directory.path, 'model.jsonl');
  await using model = await openScriptedModel(
    {
      [PROMPT]: [
        { call: `${prefix}notify`, input: { title: 'Buckets', text: 'There are two of them' } },
        { call: `${prefix}ask`, input: { question: QUESTION, options: ['staging', 'production'] } },
        { say: 'Found' },
      ],
    },
    log,
  );
  const bin = join(packageFolder(agent), 'node_modules/.bin');
  await using home = await openLiveHome(agent, join(bin, agent.program), model.url);
  const env = { HOME: home.home, PATH: `${bin}:${process.env['PATH']}`, LANG: 'C.UTF-8' };
  const paths = resolvePaths(env, process.platform, home.home);
  const cli = join(projectRoot, 'dist/program/cli.js');
  const install = ['install', '--yes', '--no-service', '--mcp', '--agent', agent.agent];
  const installed = await runProcess(process.execPath, [cli, ...install], { env });
  assert.match(installed.stdout, new RegExp(`^\\+ hooks +${agent.agent} over MCP: `, 'm'));
  await using person = await personAtTerminal(home);

  const running = home.headless([...agent.headless(PROMPT), ...words]);
  let hasEnded = false;
  void running.finally(() => {
    hasEnded = true;
  });
  const request = await openRequest(() => hasEnded);
  if (request === undefined) {
    const { stdout, stderr } = await running;
    throw new Error(
      `No question was asked: ${stdout}\n${stderr}\n${readFileSync(log, 'utf8').slice(-4_000)}`,
    );
  }
  const decided = await person.decide({
    question: request.id,
    requestHash: request.requestHash,
    choice: 'answer',
    answers: { [QUESTION]: 'staging' },
    atMs: 0,
  });
  const { code, stderr } = await running;

  assert.equal(decided.accepted, true, String(decided.reason));
  assert.equal(code, 0, stderr);
  const asked = readFileSync(log, 'utf8');
  // Hosts pass on the structured result, where there is one.
  assert.match(asked, /answered\W+(?:answer\W+)?staging/, 'the model did not get the answer');
  const told = (await home.heard()).find(({ view }) => view.event === 'HookbellTell');
  assert.equal(told?.view.title, 'shop has a message for you · Buckets');
  assert.notEqual(told?.rangAt, null);

  async function openRequest(isOver: () => boolean) {
    while (!isOver()) {
      const found = await callDaemon(paths, 'GET /v1/questions');
      const open = found.find(({ state, agent: asker }) => state === 'held' && asker === 'program');
      if (open !== undefined) return open;
      await delay(250);
    }
    return undefined;
  }
}

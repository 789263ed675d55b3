import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { z } from 'zod';

import { dialects } from '../../src/agents/registry.ts';
import { shellWord } from '../../src/text/escape.ts';
import { dialectNames } from '../../src/core/hook-event.ts';
import type { Answers, RegisteredHook } from '../../src/setup/hook-layout.ts';
import { planHooks } from '../../src/setup/hooks.ts';
import { inspectHooks } from '../../src/setup/inspect-hooks.ts';
import { bash3 } from '../support/bash-3.ts';
import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import {
  type Expected,
  expectedPayloads,
  lineOf,
  readPayloadFixture,
} from '../support/payload-fixtures.ts';
import { PLUGIN_HOST } from '../support/plugin-host.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { writtenRecord } from '../support/written-hooks.ts';

const agents = dialectNames.filter((name) => dialects[name].registrations.length > 0);
/** Their modules take no events as they arrive at the hook: `setup/agent-modules` plays them. */
const inModules: readonly string[] = ['pi', 'cline'];
/** Agents that load the plugin of OpenCode. */
const withPlugin: readonly string[] = ['opencode', 'kilo'];

interface Registering {
  readonly hook?: string;
  readonly answers?: Answers;
}

/** Registers the hook with one agent, and answers what stands in its files then. */
async function registeredHooks(
  agent: (typeof agents)[number],
  home: string,
  { hook = join(projectRoot, 'hooks/hookbell-hook'), ...options }: Registering = {},
): Promise<readonly (RegisteredHook & { readonly path: string })[]> {
  const surroundings = { base: home, home, searchPath: '' };
  const found = [];
  for (const registration of dialects[agent].registrations) {
    const registrable = { agent, registration };
    await writtenRecord(
      await planHooks(registrable, hook, surroundings, { force: true, ...options }),
    );
    const { path, hooks, asks } = await inspectHooks(registrable, surroundings);
    found.push(...[...hooks, ...asks].map((registered) => ({ ...registered, path })));
  }
  return found;
}

/** Runs the command as it stands in the settings, as the agent would. */
async function runCommand(place: HookbellHome, row: Expected, command: string): Promise<void> {
  const payload = readPayloadFixture(row.file);
  const isArgument = row.input === 'argv';
  const line = isArgument
    ? `${command} ${shellWord(Buffer.from(payload).toString('utf8'))}`
    : command;
  const { code, stdout, stderr } = await runProcess(bash3 ?? 'sh', ['-c', line], {
    env: { ...place.env, ...row.env },
    input: isArgument ? '' : payload,
  });
  assert.deepEqual([row.file, code, stdout, stderr], [row.file, 0, '', '']);
}

const Plugin = z.object({
  Hookbell: z.custom<(input: object) => Promise<{ event: (input: object) => Promise<void> }>>(
    (value) => typeof value === 'function',
  ),
});

/** Loads the plugin as it lies in the configuration of OpenCode, and gives it the event. */
async function runPlugin(place: HookbellHome, row: Expected, path: string): Promise<void> {
  const module = join(place.home, 'plugin.mjs');
  await copyFile(path, module);
  const { Hookbell } = Plugin.parse(await import(pathToFileURL(module).href));
  process.env['HOOKBELL_STATE_DIR'] = place.paths.state;
  const { event } = await Hookbell({ directory: '/home/dev/shop' });
  await event({ event: JSON.parse(Buffer.from(readPayloadFixture(row.file)).toString('utf8')) });
}

for (const agent of agents.filter((name) => !inModules.includes(name))) {
  test(`${agent}: what its settings register sends every recorded event, once, under its own name, session and project`, async () => {
    await using place = await hookbellHome();
    const hooks = await registeredHooks(agent, place.home);
    await place.start();
    const wanted: string[] = [];

    for (const row of expectedPayloads().filter((each) => each.agent === agent && each.valid)) {
      const own = hooks.find(({ event }) => event.toLowerCase() === row.event?.toLowerCase());
      if (own === undefined) continue;
      if (withPlugin.includes(agent)) await runPlugin(place, row, own.path);
      else await runCommand(place, row, own.command);
      wanted.push(lineOf(withPlugin.includes(agent) ? { ...row, cwd: '/home/dev/shop' } : row));
    }

    assert.ok(wanted.length > 0);
    const read = async () => place.ask('GET /v1/history', { query: { limit: '200' } });
    await until(async () => (await read()).length >= wanted.length);
    const lines = (await read()).map(({ project, ...view }) =>
      [view.agent, view.event, view.sessionId, project].join(' '),
    );
    assert.deepEqual(lines.toSorted(), wanted.toSorted());
  });
}

/** Agents run hooks in one of these: Codex in the user's own shell, which may be fish. */
const shells = ['dash', 'bash', 'zsh', 'fish', ...(bash3 === undefined ? [] : [bash3])].filter(
  (shell) => needs(shell) === false,
);

/** The processes in which an agent runs what is registered, as program and words. */
function runsOf({ command, path, event }: RegisteredHook & { readonly path: string }): string[][] {
  if (/\.[jt]s$/.test(path)) {
    return [[process.execPath, '--input-type=module', '-e', PLUGIN_HOST, path]];
  }
  // Codex starts the program of `notify` without a shell, and shows nothing if that fails.
  return event === 'agent-turn-complete' ? [] : shells.map((shell) => [shell, '-c', command]);
}

for (const agent of agents) {
  test(`${agent}: what its settings register is silent and succeeds without the program (G22)`, async () => {
    await using directory = await temporaryDirectory();
    const home = directory.path;
    const missing = (name: string): string => join(home, "dev's program", name);
    const hooks = await registeredHooks(agent, home, {
      hook: missing('hookbell-hook'),
      answers: { hook: missing('hookbell-ask'), words: true },
    });

    const runs = new Map(hooks.flatMap(runsOf).map((run) => [run.join(' '), run]));
    assert.ok(runs.size > 0);
    for (const [line, [program = '', ...words]] of runs) {
      const env = { PATH: '/usr/bin:/bin', HOME: home };
      const run = await runProcess(program, words, { env, input: '{}' });
      assert.deepEqual([line, run], [line, { code: 0, stdout: '', stderr: '' }]);
    }
  });
}

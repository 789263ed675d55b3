import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { z } from 'zod';

import { dialects } from '../../src/agents/registry.ts';
import { shellWord } from '../../src/text/escape.ts';
import { dialectNames } from '../../src/core/hook-event.ts';
import type { RegisteredHook } from '../../src/setup/hook-layout.ts';
import { planHooks } from '../../src/setup/hooks.ts';
import { inspectHooks } from '../../src/setup/inspect-hooks.ts';
import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import {
  type Expected,
  expectedPayloads,
  readPayloadFixture,
} from '../support/payload-fixtures.ts';
import { runProcess } from '../support/run-process.ts';
import { writtenRecord } from '../support/written-hooks.ts';

const hook = join(projectRoot, 'hooks/hookbell-hook');
// Grok Build and VS Code run the hooks of other agents: `e2e/one-ring` plays them.
const agents = dialectNames.filter((name) => dialects[name].registrations.length > 0);

/** One line of the history, as far as the payload decides it. */
function lineOf({ agent, event, sessionId, cwd }: Omit<Expected, 'file'>): string {
  return [agent, event, sessionId, cwd?.split(/[\\/]/).at(-1) ?? null].join(' ');
}

/** Registers the hook with one agent, and answers what stands in its files then. */
async function registeredHooks(
  agent: (typeof agents)[number],
  home: string,
): Promise<readonly (RegisteredHook & { readonly path: string })[]> {
  const surroundings = { base: home, home, searchPath: '' };
  const found = [];
  for (const registration of dialects[agent].registrations) {
    const registrable = { agent, registration };
    await writtenRecord(await planHooks(registrable, hook, surroundings, { force: true }));
    const { path, hooks } = await inspectHooks(registrable, surroundings);
    found.push(...hooks.map((registered) => ({ ...registered, path })));
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
  const { code, stdout, stderr } = await runProcess('sh', ['-c', line], {
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

for (const agent of agents) {
  test(`${agent}: what its settings register sends every recorded event, once, under its own name, session and project`, async () => {
    await using place = await hookbellHome();
    const hooks = await registeredHooks(agent, place.home);
    await place.start();
    const wanted: string[] = [];

    for (const row of expectedPayloads().filter((each) => each.agent === agent && each.valid)) {
      const own = hooks.find(({ event }) => event.toLowerCase() === row.event?.toLowerCase());
      if (own === undefined) continue;
      if (agent === 'opencode') await runPlugin(place, row, own.path);
      else await runCommand(place, row, own.command);
      wanted.push(lineOf(agent === 'opencode' ? { ...row, cwd: '/home/dev/shop' } : row));
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

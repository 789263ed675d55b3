/** What "hookbell install" registered with each agent, as the agents run it. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { dialects } from '../../src/agents/registry.ts';
import { inspectHooks } from '../../src/setup/inspect-hooks.ts';
import { shellWord } from '../../src/text/escape.ts';
import { expectedPayloads, lineOf, readPayloadFixture } from '../support/payload-fixtures.ts';
import { PLUGIN_HOST } from '../support/plugin-host.ts';

const registrable = Object.values(dialects).flatMap(({ agent, registrations }) =>
  registrations.map((registration) => ({ agent, registration })),
);

/** Makes each agent look as if it were installed. */
export async function installAgents(home: string): Promise<void> {
  for (const { registration } of registrable) {
    const [place = ''] = registration.evidence;
    await mkdir(join(home, place), { recursive: true });
  }
}

interface RegisteredRun {
  readonly words: readonly string[];
  readonly input: Uint8Array;
  readonly env: Readonly<Record<string, string>>;
  /** How the line of the history begins that must follow: the agent, and where the payload is a recorded one, all of it. */
  readonly wanted: string;
}

/**
 * Each recorded payload by the command line that its agent's settings have for it, and each plugin in a process.
 *
 * @param node that runs plugins
 */
export async function registeredRuns(
  home: string,
  node: string,
): Promise<readonly RegisteredRun[]> {
  const runs: RegisteredRun[] = [];
  for (const registered of registrable) {
    const { agent } = registered;
    const surroundings = { base: home, home, searchPath: '' };
    const { path, hooks } = await inspectHooks(registered, surroundings);
    const own = /\.[jt]s$/.test(path)
      ? [pluginRun(agent, node, path)]
      : expectedPayloads().flatMap((row) => {
          const hook = hooks.find(({ event }) => event.toLowerCase() === row.event?.toLowerCase());
          if (row.agent !== agent || !row.valid || hook === undefined) return [];
          const payload = readPayloadFixture(row.file);
          const isArgument = row.input === 'argv';
          const last = isArgument ? ` ${shellWord(Buffer.from(payload).toString('utf8'))}` : '';
          const words = ['/bin/sh', '-c', hook.command + last];
          const input = isArgument ? new Uint8Array() : payload;
          return [{ words, input, env: row.env, wanted: lineOf(row) }];
        });
    assert.ok(hooks.length > 0 && own.length > 0, `${agent}: nothing to run by ${path}`);
    runs.push(...own);
  }
  return runs;
}

function pluginRun(agent: string, node: string, path: string): RegisteredRun {
  const words = [node, '--input-type=module', '-e', PLUGIN_HOST, path];
  return { words, input: new Uint8Array(), env: {}, wanted: `${agent} ` };
}

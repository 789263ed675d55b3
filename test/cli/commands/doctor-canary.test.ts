import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { z } from 'zod';

import { dialects } from '../../../src/agents/registry.ts';
import type { DialectName } from '../../../src/core/hook-event.ts';
import { planHooks } from '../../../src/setup/hooks.ts';
import { hookbellHome, projectRoot } from '../../support/hookbell-home.ts';
import { writtenRecord } from '../../support/written-hooks.ts';

const Answer = z.object({
  ok: z.boolean(),
  marker: z.string(),
  events: z.array(z.object({ event: z.string(), state: z.string(), times: z.number() })),
  checks: z.array(z.object({ name: z.string(), summary: z.string(), hint: z.string().nullable() })),
});

/**
 * A stand-in for an agent: its last argument is the prompt, and it runs the hooks its settings name for some events, one after
 * the other, `runs` times, as agents do that read several settings.
 */
function stub(settings: string, events: readonly string[], runs: number): string {
  return `#!${process.execPath}
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { hooks } = JSON.parse(readFileSync(process.env.HOME + '/${settings}', 'utf8'));
const prompt = process.argv.at(-1);
for (const event of ${JSON.stringify(events)}) {
  const payload = { session_id: 's', hook_event_name: event, transcript_path: '/h/${settings.split('/')[0]}/t', prompt, cwd: '/w' };
  for (const { hooks: handlers } of hooks[event] ?? [])
    for (const { command } of handlers)
      for (let run = 0; run < ${runs}; run += 1)
        execFileSync('sh', ['-c', command], { input: JSON.stringify(payload) });
}
`;
}

/** A home with a daemon, and agents in it that are registered and can be run. */
async function machine(agents: readonly [DialectName, string][]) {
  const place = await hookbellHome();
  const bin = join(place.home, 'bin');
  await mkdir(bin);
  for (const [agent, program] of agents) {
    await writeFile(join(bin, agent), program);
    await chmod(join(bin, agent), 0o755);
    for (const registration of dialects[agent].registrations) {
      const plan = await planHooks(
        { agent, registration },
        join(projectRoot, 'hooks/hookbell-hook'),
        { base: place.home, home: place.home, searchPath: '' },
        { force: true },
      );
      await writtenRecord(plan);
    }
  }
  place.env['PATH'] = `${bin}:${place.env['PATH'] ?? ''}`;
  await place.start();
  return place;
}

const claude = (events: readonly string[], runs = 1) => stub('.claude/settings.json', events, runs);
const all = ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'];

describe('hookbell doctor --canary', () => {
  test('--run runs the agent and says that each event arrived', async () => {
    await using place = await machine([['claude', claude(all)]]);

    const { code, stdout, stderr } = await place.cli('doctor', '--canary', '--run', '--json');

    const { ok, events } = Answer.parse(JSON.parse(stdout));
    assert.deepEqual([code, ok], [0, true]);
    assert.deepEqual(
      events
        .filter(({ state }) => state === 'arrived')
        .map(({ event }) => event)
        .toSorted(),
      all.toSorted(),
    );
    assert.match(stderr, /Running claude -p/);
  });

  test('--run says which events came twice and which did not come', async () => {
    await using place = await machine([['claude', claude(all.slice(0, 2), 2)]]);

    const { code, stdout } = await place.cli('doctor', '--canary', '--run');

    assert.equal(code, 1);
    assert.match(stdout, /^warning +claude UserPromptSubmit +arrived 2 times/m);
    assert.match(stdout, /^problem +claude Stop +did not arrive/m);
    assert.match(stdout, /^skipped +claude PostToolUse +not tried/m);
    assert.match(stdout, /^skipped +claude: never sent +.*turn\.interrupted/m);
  });

  test('--run distinguishes untrusted hooks from a missing program', async () => {
    await using place = await machine([
      ['codex', `#!/bin/sh\nexit 3\n`],
      ['gemini', stub('.gemini/settings.json', ['SessionStart', 'BeforeAgent', 'AfterAgent'], 1)],
    ]);

    const run = await place.cli('doctor', '--canary', '--run', '--json');
    const { checks } = Answer.parse(JSON.parse(run.stdout));
    const find = (name: string) => checks.find((check) => check.name === name);
    assert.match(find('codex Stop')?.hint ?? '', /"\/hooks" and trust them/);
    assert.match(find('codex run')?.summary ?? '', /ended with status 3/);
    assert.match(find('gemini AfterAgent')?.summary ?? '', /^arrived/);
    assert.match(find('gemini SessionEnd')?.summary ?? '', /without a terminal/);

    place.env['PATH'] = '/usr/bin:/bin';
    const gone = await place.cli('doctor', '--canary', '--run', '--agent', 'gemini');
    assert.equal(gone.code, 0);
    assert.match(gone.stdout, /gemini run +"gemini" is not on your PATH/);
  });

  test('--run counts what the plugin alone registers', async () => {
    await using place = await machine([]);
    const plugin = join(place.home, '.claude/plugins/cache/hookbell');
    await cp(join(projectRoot, 'packaging/plugin'), plugin, { recursive: true });
    // The plugin looks the home directory up in the user database, which has none for this test.
    const hooksFile = join(plugin, 'hooks/hooks.json');
    const command = /h=\$\(PATH=\S+ id -un\) && eval \\"h=~\$h\/\.local\/share\\"/g;
    const hooks = await readFile(hooksFile, 'utf8');
    assert.match(hooks, command);
    await writeFile(hooksFile, hooks.replaceAll(command, `h=${place.home}/.local/share`));
    const id = 'hookbell@hookbell';
    const installed = { version: 2, plugins: { [id]: [{ scope: 'user', installPath: plugin }] } };
    const settings = { enabledPlugins: { [id]: true } };
    for (const [path, content] of [
      ['plugins/installed_plugins.json', installed],
      ['settings.json', settings],
    ] as const) {
      await writeFile(join(place.home, '.claude', path), JSON.stringify(content));
    }
    await mkdir(join(place.home, '.local/share'), { recursive: true });
    await symlink(projectRoot, join(place.home, '.local/share/hookbell'));
    const program = stub('.claude/plugins/cache/hookbell/hooks/hooks.json', all, 1);
    await writeFile(join(place.home, 'bin/claude'), program, { mode: 0o755 });

    const { code, stdout } = await place.cli('doctor', '--canary', '--run', '--json');

    const { events } = Answer.parse(JSON.parse(stdout));
    const arrived = events.filter(({ state }) => state === 'arrived');
    assert.equal(code, 0);
    assert.deepEqual(arrived.map(({ event }) => event).toSorted(), all.toSorted());
  });

  test('asks the person for a prompt, and keeps the events of other sessions apart', async () => {
    await using place = await machine([['claude', claude(all)]]);
    const main = join(projectRoot, 'dist/program/cli.js');
    const child = spawn(process.execPath, [main, 'doctor', '--canary', '--json', '--wait', '30s'], {
      env: place.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(child, 'exit');
    const said: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text));

    const asked = await firstMatch(child.stderr, /Answer with the word hookbell-canary-\d+.*/);
    await place.hook({ session_id: 'other', hook_event_name: 'Stop' }, ['--agent', 'claude']);
    const person = spawn(join(place.home, 'bin', 'claude'), [asked], { env: place.env });
    await once(person, 'exit');

    assert.deepEqual(await exited, [0, null]);
    const { marker, events } = Answer.parse(JSON.parse(said.join('')));
    assert.ok(asked.includes(marker));
    assert.equal(events.find(({ event }) => event === 'Stop')?.times, 1);
  });

  test('says which command is missing where nothing is registered, and refuses its options alone', async () => {
    await using place = await machine([]);

    const bare = await place.cli('doctor', '--canary');
    const alone = await place.cli('doctor', '--run');

    assert.equal(bare.code, 2);
    assert.match(bare.stderr, /Run "hookbell install" first/);
    assert.equal(alone.code, 2);
  });
});

function firstMatch(stream: NodeJS.ReadableStream, wanted: RegExp): Promise<string> {
  let seen = '';
  return new Promise((resolve) => {
    stream.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
      const found = wanted.exec(seen);
      if (found !== null) resolve(found[0]);
    });
  });
}

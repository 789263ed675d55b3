import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { commandLine } from '../support/command-line.ts';
import { runProcess } from '../support/run-process.ts';
import { wordsOf } from '../../src/delivery/words.ts';
import { sampleRecord } from '../support/store.ts';
import { customAgent, customAgentsIn } from '../../src/setup/custom-agent.ts';
import { planHooks, revertHooks } from '../../src/setup/hooks.ts';
import { inspectHooks } from '../../src/setup/inspect-hooks.ts';
import { writtenRecord } from '../support/written-hooks.ts';

test('customAgent() registers any file with hooks like those of Claude Code, under a name of one choice, and takes it back', async () => {
  await using place = await hookbellHome();
  const { home } = place;
  const file = join(home, 'elsewhere', 'settings.json');
  const before = '{ "mine": true,\n\t"hooks": {} }';
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, before);
  const agent = customAgent('My agent', file, home);
  assert.ok(agent);
  const surroundings = { base: home, home, searchPath: '', state: place.paths.state };
  const hook = join(projectRoot, 'hooks/hookbell-hook');

  const record = await writtenRecord(await planHooks(agent, hook, surroundings, { force: true }));
  const { hooks } = await inspectHooks(agent, surroundings);
  const command = hooks.find(({ event }) => event === 'PermissionRequest')?.command ?? '';
  await place.start();
  const input = { hook_event_name: 'PermissionRequest', session_id: 's', cwd: '/w/shop' };
  await runProcess('sh', ['-c', command], { env: place.env, input: JSON.stringify(input) });

  await until(async () => (await place.ask('GET /v1/history')).length === 1);
  const [view] = await place.ask('GET /v1/history');
  const shown = await place.ask('GET /v1/events', { query: { part: view?.eventId ?? '' } });
  assert.deepEqual(
    [view?.agent, view?.called, view?.kind],
    ['unknown', 'My agent', 'needs.permission'],
  );
  assert.equal((await place.ask('GET /v1/sessions'))[0]?.called, 'My agent');
  const [again] = await customAgentsIn([record], home);
  assert.deepEqual(again?.registration, agent.registration, 'doctor and --refresh know it');
  assert.equal(shown.facts.agent, 'My agent');
  assert.equal(await revertHooks(record), 'restored');
  assert.equal(await readFile(file, 'utf8'), before);
});

for (const name of ['', 'Claude Code', 'CLAUDE', 'custom', 'a\nb', 'x'.repeat(41)]) {
  test(`customAgent() takes no agent by the name ${JSON.stringify(name)}`, () => {
    assert.equal(customAgent(name, '/x.json', '/home/dev'), null);
  });
}

test('hookbell install --agent custom needs a file and a name, and names the agent', async () => {
  await using cli = await commandLine();
  const install = ['install', '--dry-run', '--no-service', '--agent', 'custom'];
  const settings = join(cli.home, 'my-agent.json');

  const lone = await cli.run(install);
  const taken = await cli.run([...install, '--settings', settings, '--name', 'Codex']);
  const done = await cli.run([...install, '--settings', settings, '--name', 'My agent']);

  assert.equal(lone.code, 2);
  assert.match(lone.stderr, /belong together/);
  assert.match(taken.stderr, /"--name" is "Codex"/);
  assert.equal(done.code, 0);
  assert.match(done.stdout, /^\+ hooks +My agent: .*my-agent\.json$/m);
  assert.doesNotMatch(done.stdout, /other agents/);
});

for (const [named, shown] of [
  ['My agent', 'My agent'],
  ['claude', 'an agent'],
  ['Codex', 'an agent'],
] as const) {
  test(`wordsOf() calls an agent that is not recognized, and whose command says "${named}", ${shown}`, () => {
    const { event } = sampleRecord({ agent: 'unknown', facts: { agent: named } });
    const options = { redact: (text: string) => text, labelOf: () => null, withText: true };

    assert.equal(wordsOf(event, null, options).agent, shown);
  });
}

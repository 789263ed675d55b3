import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { decodePayload } from '../../src/agents/decode.ts';
import { dialects } from '../../src/agents/registry.ts';
import { moduleShapes } from '../../src/core/agent/registration.ts';
import type { RegistrableAgent } from '../../src/setup/hook-places.ts';
import { planHooks, revertHooks } from '../../src/setup/hooks.ts';
import { mcpHostsOf } from '../../src/setup/mcp/mcp-hosts.ts';
import { inspectHooks } from '../../src/setup/inspect-hooks.ts';
import { readSpool } from '../hooks/read-spool.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { writtenRecord } from '../support/written-hooks.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const HOOK = "/home/d'ev/hook bell/hookbell-hook";

const hookScript = join(projectRoot, 'hooks', 'hookbell-hook');

const all: readonly RegistrableAgent[] = Object.values(dialects).flatMap(
  ({ agent, registrations }) => registrations.map((registration) => ({ agent, registration })),
);

/** A file as a person may have written it: with an odd layout and personal settings. */
const foreign = {
  wrapped: '{"model":   "x",\n\n "hooks": {"Stop": [{"hooks": [{"command": "./mine"}]}]}}',
  bare: '{ "Stop":[] }',
  cursor: '{"version": 1, "hooks": {"stop": [{ "command": "./mine" }]}}\n\n',
  copilot: '{"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": "./mine"}]}}',
  vscode: '{"hooks": {"Stop": [{"type": "command", "command": "./mine"}]}}',
  crush: '{"$schema": "x", "hooks": {"TurnEnd": [{"command": "./mine", "timeout": 2}]}}',
  'codex-notify': '# mine\nmodel = "x"   # why\n\n[projects."/a"]\ntrust_level = "trusted"',
  kiro: '',
  'opencode-plugin': '',
  'kilo-plugin': '',
  'pi-extension': '',
  'cline-plugin': '',
  'amp-plugin': '',
  'mcp-json': '{\n\t"mcpServers": { "mine": { "command": "./mine" } }, // others\n\t"x": 1\n}',
  'mcp-toml': 'model = "x"\n\n[mcp_servers.mine]\ncommand = "./mine"\n',
  'toml-hooks':
    'default_model = "x"   # why\n\n[[hooks]]\nevent = "Stop"\ncommand = "./mine"\n\n[providers.x]\ntype = "openai"',
} as const;

for (const agent of [...all, ...mcpHostsOf([])]) {
  const { registration } = agent;
  const file = registration.files.at(-1);
  assert.ok(file);
  describe(`${agent.called ?? agent.agent}: ${file.path}`, () => {
    for (const [name, before] of [
      ['where there is none', null],
      ['beside what others wrote', foreign[file.shape]],
    ] as const) {
      test(`is written ${name}, once, lists every event, and becomes what it was, to the byte`, async () => {
        await using place = await home();
        const path = join(place.home, file.path);
        if (before !== null) {
          await mkdir(dirname(path), { recursive: true });
          await writeFile(path, before);
        }

        const plan = await planHooks(agent, HOOK, place, { force: true });
        const record = await writtenRecord(plan);
        const { hooks, problem } = await inspectHooks(agent, place);
        assert.equal(problem, null);
        assert.deepEqual(
          hooks.map(({ event }) => event).toSorted(),
          registration.events.map((event) => event.name).toSorted(),
        );
        assert.equal((await planHooks(agent, HOOK, place, { force: true })).type, 'unchanged');

        assert.equal(await revertHooks(record), 'restored');
        assert.equal(await readFile(path, 'utf8').catch(() => null), before);
        const left = await readdir(dirname(path));
        assert.deepEqual(left, before === null ? [] : [file.path.split('/').at(-1)]);
      });
    }

    test('loses only our part when it was edited since', async () => {
      await using place = await home();
      const path = join(place.home, file.path);
      const plan = await planHooks(agent, HOOK, place, { force: true });
      const record = await writtenRecord(plan);
      await writeFile(path, `${await readFile(path, 'utf8')}\n`);

      assert.equal(await revertHooks(record), 'removed');

      assert.equal(await readFile(path, 'utf8').catch(() => null), null);
    });

    test('is left alone and named when it is not understood', async () => {
      await using place = await home();
      const path = join(place.home, file.path);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, '{ // a comment\n"x": [');

      const plan = await planHooks(agent, HOOK, place, { force: true });

      assert.ok(plan.type === 'refused');
      assert.equal(plan.path, path);
      assert.equal(await readFile(path, 'utf8'), '{ // a comment\n"x": [');
    });
  });
}

test('a home with all of them becomes what it was, to the byte, after all were registered', async () => {
  await using place = await home();
  const before = new Map<string, string>();
  for (const { registration } of all) {
    const { path = '', shape = 'wrapped' } = registration.files.at(-1) ?? {};
    const text = foreign[shape];
    if (text === '' || before.has(path)) continue;
    before.set(path, text);
    await mkdir(dirname(join(place.home, path)), { recursive: true });
    await writeFile(join(place.home, path), text);
  }

  const records = [];
  for (const agent of all)
    records.push(await writtenRecord(await planHooks(agent, HOOK, place, { force: true })));
  const again = await Promise.all(
    all.map((agent) => planHooks(agent, HOOK, place, { force: true })),
  );
  const reverted = [];
  for (const record of records.toReversed()) reverted.push(await revertHooks(record));

  assert.ok(again.every(({ type }) => type === 'unchanged'));
  assert.deepEqual(new Set(reverted), new Set(['restored']));
  const names = await readdir(place.home, { recursive: true, withFileTypes: true });
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const left = await Promise.all(
    files.map(async (file) => [file.slice(place.home.length + 1), await readFile(file, 'utf8')]),
  );
  assert.deepEqual(new Map(left.map(([file = '', text = '']) => [file, text])), before);
});

test('the files of a project lie in the project, and where a project has none nothing is written', async () => {
  await using place = await home();
  const base = join(place.home, 'work');
  const configHome = join(place.home, 'elsewhere');

  const plans = await Promise.all(
    all.map((agent) => planHooks(agent, HOOK, { ...place, base, configHome }, { force: true })),
  );

  const paths = plans.map((plan) => ('path' in plan ? plan.path.replace(base, '') : plan.type));
  const wanted = all.map(({ registration: { files } }) => {
    const { path = '', projectPath = path } = files.at(-1) ?? {};
    return projectPath === null ? 'unsupported' : `/${projectPath}`;
  });
  assert.deepEqual(paths, wanted);
  assert.equal(paths.filter((path) => path === 'unsupported').length, 2);
});

test('the files of a project, which teams commit, name no directory of one person (C6)', async () => {
  await using place = await home();
  const base = join(place.home, 'work');
  const surroundings = { ...place, base, state: join(place.home, 'state') };

  for (const agent of all) {
    const plan = await planHooks(agent, join(place.home, 'hookbell-hook'), surroundings, {
      force: true,
    });

    if (plan.type === 'unsupported') continue;
    assert.ok(plan.type === 'write');
    assert.ok(plan.after.includes('hookbell-hook'));
    assert.equal(plan.after.includes(place.home), false, plan.path);
  }
});

test('the settings of a project hold nothing that another agent, which reads them as well, takes amiss', async () => {
  await using place = await home();
  const claude = all.find(({ agent }) => agent === 'claude');
  assert.ok(claude);

  const plan = await planHooks(
    claude,
    HOOK,
    { ...place, base: join(place.home, 'work') },
    {
      force: true,
    },
  );

  assert.ok(plan.type === 'write');
  assert.doesNotMatch(plan.after, /PermissionRequest/);
  assert.match(plan.after, /StopFailure/);
});

test('the plugin of OpenCode goes into the configuration directory of the user, wherever that is', async () => {
  await using place = await home();
  const configHome = join(place.home, 'elsewhere');
  const opencode = all.find(({ agent }) => agent === 'opencode');
  assert.ok(opencode);
  await mkdir(join(configHome, 'opencode'), { recursive: true });

  const plan = await planHooks(opencode, HOOK, { ...place, configHome });

  assert.ok(plan.type === 'write');
  assert.equal(plan.path, join(configHome, 'opencode/plugins/hookbell.js'));
});

test('a variable of the agent says where its settings lie, but for those of a project', async () => {
  await using place = await home();
  const env = { CODEX_HOME: join(place.home, 'x'), CLAUDE_CONFIG_DIR: 'not/absolute' };
  const paths = async (base: string) => {
    const plans = await Promise.all(
      all.map((agent) => planHooks(agent, HOOK, { ...place, base, env }, { force: true })),
    );
    return plans.flatMap((plan) => ('path' in plan ? [plan.path.replace(place.home, '')] : []));
  };

  const user = await paths(place.home);
  const project = await paths(join(place.home, 'work'));

  assert.ok(
    ['/x/hooks.json', '/x/config.toml', '/.claude/settings.json'].every((path) =>
      user.includes(path),
    ),
  );
  assert.ok(project.includes('/work/.codex/hooks.json'));
});

describe('the registered command, as a shell runs it', () => {
  for (const agent of all.filter(({ registration }) =>
    registration.files.every(({ shape }) => !moduleShapes.some((one) => one === shape)),
  )) {
    const { by = 'hooks' } = agent.registration;
    test(`${agent.agent} (${by}): sends events that are known as those of the agent`, async () => {
      await using place = await home();
      const state = join(place.home, 'state dir');
      const surroundings = { ...place, state };
      const plan = await planHooks(agent, hookScript, surroundings, { force: true });
      await writtenRecord(plan);
      const { hooks } = await inspectHooks(agent, place);

      for (const { event, command } of hooks) {
        const payload = JSON.stringify(payloadOf(agent, event));
        await shell(by === 'notify' ? `${command} '${payload}'` : command, payload, place.home);
      }

      const events = readSpool(state).map((file) => {
        assert.ok(file.isWhole);
        const decoded = decodePayload(file);
        assert.ok(decoded.ok);
        return `${decoded.event.agent} ${decoded.event.event}`;
      });
      assert.deepEqual(
        events.toSorted(),
        hooks.map(({ event }) => `${agent.agent} ${event}`).toSorted(),
      );
    });
  }
});

/** What the agents send at least, with what proves those whose hooks others run, too. */
function payloadOf({ agent, registration }: RegistrableAgent, event: string): object {
  const proofs: Readonly<Record<string, object>> = {
    droid: { transcript_path: '/home/dev/.factory/x.jsonl' },
    claude: { transcript_path: '/home/dev/.claude/x.jsonl' },
    copilot: { transcript_path: '/home/dev/.copilot/x.jsonl' },
    cursor: { conversation_id: 'c' },
  };
  if (agent === 'vscode') {
    const transcript_path = '/home/dev/workspaceStorage/x.json';
    return { hookEventName: event, sessionId: 's', timestamp: '2026', transcript_path };
  }
  if (registration.by === 'notify') return { type: event, 'thread-id': 't', 'turn-id': 'u' };
  return {
    session_id: 's',
    ...(registration.saysEvent === true ? {} : { hook_event_name: event }),
    ...proofs[agent],
  };
}

async function shell(line: string, input: string, directory: string): Promise<void> {
  const env = { PATH: process.env['PATH'], HOOKBELL_STATE_DIR: join(directory, 'state') };
  const child = spawn('sh', ['-c', line], { stdio: ['pipe', 'inherit', 'inherit'], env });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [status] = await once(child, 'exit');
  assert.equal(status, 0);
}

async function home() {
  const directory = await temporaryDirectory();
  return {
    base: directory.path,
    home: directory.path,
    searchPath: '',
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

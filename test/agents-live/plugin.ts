// The plugin of packaging/plugin in real agents: an agent validates it (where it can), installs it from its marketplace, and runs
// a turn with a scripted model; the events of its hooks must arrive, and none after the plugin was removed. No hook is
// registered otherwise.
//
//   npm run test:plugin -- [--agent NAME]
//
// Needs root: it runs as a separate user in a copy of this machine (test/support/disposable-root.ts), because the hooks of the plugin look
// for hookbell in the home directory that the user database names. Only loopback is reachable.
import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { z } from 'zod';

import { inDisposableRoot, needsDisposableRoot } from '../support/disposable-root.ts';
import { projectRoot, until } from '../support/hookbell-home.ts';
import { type Finished, runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { liveAgents } from './agents.ts';
import type { LiveAgent } from './live-agent.ts';
import { openScriptedModel } from './model.ts';
import { installPackage, packageFolder } from './programs.ts';

/** Where everything is in the copy of the machine; a package would put the program there, too. */
const PROGRAM = '/usr/lib/hookbell';
const AGENT = '/opt/agent';
const HOME = '/home/visitor';
const VISITOR = 4242;

const PROMPT = 'Look around the shop';

const Events = z.array(z.looseObject({ agent: z.string(), event: z.string() }));

/** The commands of an agent for its plugins, and the events that a turn without a tool must bring. */
const ways: Readonly<
  Record<
    string,
    {
      readonly install: readonly (readonly string[])[];
      readonly remove: readonly (readonly string[])[];
      readonly events: readonly string[];
    }
  >
> = {
  claude: {
    install: [
      ['plugin', 'validate', '--strict', `${PROGRAM}/packaging/plugin`],
      ['plugin', 'marketplace', 'add', `${PROGRAM}/packaging/plugin`],
      ['plugin', 'install', 'hookbell@hookbell'],
    ],
    remove: [
      ['plugin', 'uninstall', 'hookbell@hookbell'],
      ['plugin', 'marketplace', 'remove', 'hookbell'],
    ],
    events: ['SessionStart', 'UserPromptSubmit', 'Stop'],
  },
  codex: {
    install: [
      ['plugin', 'marketplace', 'add', `${PROGRAM}/packaging/plugin`],
      ['plugin', 'add', 'hookbell@hookbell'],
    ],
    remove: [
      ['plugin', 'remove', 'hookbell@hookbell'],
      ['plugin', 'marketplace', 'remove', 'hookbell'],
    ],
    events: ['SessionStart', 'UserPromptSubmit', 'Stop'],
  },
  // It names a local marketplace after its folder.
  droid: {
    install: [
      ['plugin', 'marketplace', 'add', `${PROGRAM}/packaging/plugin`],
      ['plugin', 'install', 'hookbell@plugin'],
    ],
    remove: [
      ['plugin', 'uninstall', 'hookbell@plugin'],
      ['plugin', 'marketplace', 'remove', 'plugin'],
    ],
    // Without a terminal it reports no prompt.
    events: ['SessionStart', 'Stop'],
  },
};

const { values } = parseArgs({
  options: { agent: { type: 'string', multiple: true }, inside: { type: 'string' } },
});
process.exitCode =
  values.inside === undefined
    ? await runEach(values.agent ?? ['claude', 'codex'])
    : await inside(agentOf(values.inside));

function agentOf(name: string): LiveAgent {
  const found = liveAgents.find(({ agent }) => agent === name);
  if (found === undefined || ways[name] === undefined) throw new Error(`Unknown agent "${name}"`);
  return found;
}

async function runEach(names: readonly string[]): Promise<number> {
  const skip = needsDisposableRoot('busybox');
  if (skip !== false) {
    process.stdout.write(`Skipped: ${skip}\n`);
    return 0;
  }
  let code = 0;
  for (const name of names) {
    const agent = agentOf(name);
    const trouble = await installPackage(agent);
    if (trouble !== null) {
      process.stderr.write(`${trouble}\n`);
      if (process.env['HOOKBELL_REQUIRE_SYSTEM'] === '1') code = 1;
      continue;
    }
    await using place = await temporaryDirectory();
    const self = `${PROGRAM}/dist/test/agents-live/${fileURLToPath(import.meta.url)
      .split('/')
      .at(-1)}`;
    const ran = await inDisposableRoot({
      place: place.path,
      isOffline: true,
      bring: {
        [PROGRAM]: projectRoot,
        // The folder around it is npm's user's alone.
        [`${AGENT}/node_modules`]: join(packageFolder(agent), 'node_modules'),
        '/usr/bin/node': process.execPath,
      },
      script: `echo 'visitor:x:${VISITOR}:${VISITOR}::${HOME}:/bin/sh' >>/etc/passwd
chmod 1777 /tmp
exec node ${self} --inside ${name}
`,
    });
    const isGood = ran.code === 0;
    process.stdout.write(`${isGood ? 'ok ' : 'BAD'} ${name} ${agent.version}\n`);
    if (!isGood) process.stdout.write(`${ran.stdout}\n${ran.stderr}\n`);
    if (!isGood) code = 1;
  }
  return code;
}

/** In the copy of the machine, as root; the agent and hookbell run as the visitor. */
async function inside(agent: LiveAgent): Promise<number> {
  const { install = [], remove = [], events: wanted = [] } = ways[agent.agent] ?? {};
  const projects = [join(HOME, 'shop')];
  await using model = await openScriptedModel({ [PROMPT]: [{ say: 'It is tidy' }] }, '/model.log');
  const around = { home: HOME, projects, model: model.url };
  for (const project of projects) await mkdir(project, { recursive: true });
  for (const [path, content] of Object.entries(agent.files(around))) {
    const file = join(HOME, path);
    await mkdir(dirname(file), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify({ ...content, hooks: {} });
    await writeFile(file, text);
  }
  const config = join(HOME, '.config/hookbell/config.yaml');
  await mkdir(dirname(config), { recursive: true });
  // The second witness would go on to see the sessions when the plugin is gone.
  await writeFile(config, 'channels: {}\nroutes: []\nwitness: off\n', { mode: 0o600 });
  await giveAway(HOME);

  const env = { HOME, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', SHELL: '/bin/sh' };
  const visitor = (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runProcess(
      'setpriv',
      [`--reuid=${VISITOR}`, `--regid=${VISITOR}`, '--clear-groups', ...words],
      { env: { ...env, ...more }, cwd: projects[0] ?? HOME },
    );
  const hookbell = (...words: readonly string[]): Promise<Finished> =>
    visitor(['node', `${PROGRAM}/dist/program/cli.js`, ...words]);
  const program = join(AGENT, 'node_modules/.bin', agent.program);
  const run = (words: readonly string[]): Promise<Finished> =>
    visitor(['timeout', '120', program, ...words], agent.env(around));
  const events = async () =>
    Events.parse(JSON.parse(ok(await hookbell('--json', 'history')).stdout));

  ok(await hookbell('start'));
  for (const words of install) ok(await run(words));
  ok(await run(agent.headless(PROMPT)));
  let heard: readonly { readonly agent: string; readonly event: string }[] = [];
  await until(async () => {
    heard = await events();
    return wanted.every((name) => heard.some(({ event }) => event === name));
  }).catch(() => {});
  const said = heard.map(({ agent: by, event }) => `${by} ${event}`);
  process.stdout.write(`events: ${said.join(', ')}\n`);
  const missing = wanted.filter((name) => !said.includes(`${agent.agent} ${name}`));
  if (missing.length > 0) throw new Error(`Missing: ${missing.join(', ')}`);
  process.stdout.write((await hookbell('doctor', '--all')).stdout);

  for (const words of remove) ok(await run(words));
  ok(await run(agent.headless(PROMPT)));
  const spool = join(HOME, '.local/state/hookbell/spool');
  await until(async () => (await readdir(spool)).length === 0);
  const after = await events();
  if (after.length > heard.length) throw new Error('The removed plugin still sends events');
  ok(await hookbell('stop'));
  return 0;
}

function ok(ran: Finished): Finished {
  if (ran.code === 0) return ran;
  throw new Error(`Exit code ${ran.code}: ${ran.stdout}\n${ran.stderr}`);
}

/** Makes the visitor the owner of everything below a directory. */
async function giveAway(directory: string): Promise<void> {
  await chown(directory, VISITOR, VISITOR);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    await chown(join(entry.parentPath, entry.name), VISITOR, VISITOR);
  }
}

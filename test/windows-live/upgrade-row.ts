import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { sha256 } from '../../src/platform/crypto.ts';
import { hookCommandLine } from '../../src/setup/hook-places.ts';
import { startLocalRegistry } from '../support/local-registry.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { handlerOf } from './agent-rows.ts';
import type { Run } from './jobs.ts';
import { NODE, PACKAGE, type Wine } from './wine.ts';
import { allDone, type WindowsHome } from './windows-home.ts';

const execute = promisify(execFile);
const NEXT = '99.0.0';
const SETTINGS = '.claude\\settings.json';
/** The folder of npm's global packages, in which the installed package is. */
const PREFIX = 'C:\\npm';
const NODE_FOLDER = String.raw`C:\Program Files\nodejs`;

/** This Wine makes no connection that is to be kept alive. */
const PLAIN_CONNECTIONS =
  'require("node:net").Socket.prototype.setKeepAlive = function () { return this; };';

const input = (session_id: string): string =>
  JSON.stringify({ hook_event_name: 'Stop', session_id, cwd: 'C:\\repo' });

/** Another version takes the place of the installed one, while agents run hooks and the daemon runs; and mends what an earlier one registered. */
export async function checkUpgrade(wine: Wine, home: WindowsHome): Promise<string> {
  await registerAsEarlier(home);
  const before = (await home.read(home.lines)).length;
  const hook = `${home.program}\\dist\\program\\hookbell-hook.cjs`;
  const wanted = Array.from({ length: 12 }, (_, at) => `upgrade-${at}`);
  const ringAll = () =>
    wine.run(
      wanted.map((session_id) => ({
        argv: [NODE, '-e', 'try{require(process.argv[1])}catch{}', hook, '--state', home.state],
        env: home.env,
        input: input(session_id),
      })),
    );
  // On Windows itself, npm would ask the registry of everyone.
  const ringing =
    process.platform === 'win32'
      ? await upgradeByInstall(wine, home, ringAll)
      : await upgradeByNpm(wine, home, ringAll);
  allDone(ringing);
  const { stdout } = allDone(await wine.run([home.cli(['status', '--json'], 'installed')]));
  if (!stdout.includes(NEXT)) throw new Error(`The daemon is another one: ${stdout}`);

  const { command = '', args = [] } = await handlerOf(home, SETTINGS, 'Stop');
  if (command !== NODE) throw new Error(`Still registered: ${command}`);
  const doctor = home.cli(['doctor', '--json'], 'installed');
  allDone(
    await wine.run([{ argv: [command, ...args], env: home.env, input: input('mended') }, doctor]),
  );
  return wine.until('the events during the upgrade', async () => {
    const lines = (await home.read(home.lines)).slice(before);
    const missing = [...wanted, 'mended'].filter((id) => !lines.includes(`"${id}"`));
    return missing.length === 0
      ? `${wanted.length} events meanwhile, none lost, and the hook of an earlier version is mended`
      : null;
  });
}

/** An earlier version registered a line that nothing on Windows can run. */
async function registerAsEarlier(home: WindowsHome): Promise<void> {
  const path = `${home.home}\\${SETTINGS}`;
  const line = hookCommandLine(`${home.program}\\hooks\\hookbell-hook`, ['--state', home.state]);
  const text = await home.read(path);
  const form = /"command": "(?:[^"\\]|\\.)*",\s*"args": \[[^]*?\n\s*\]/g;
  const earlier = text.replaceAll(form, () => `"command": ${JSON.stringify(line)}`);
  if (earlier === text || earlier.includes('"args"')) throw new Error(earlier);
  await home.write(path, earlier);
  // It was the one that wrote the file last.
  const record = `${home.state}\\install.json`;
  const recorded = await home.read(record);
  if (!recorded.includes(sha256(text))) throw new Error(`Not the one in ${recorded}`);
  await home.write(record, recorded.replace(sha256(text), sha256(earlier)));
}

async function upgradeByInstall<Rung>(
  wine: Wine,
  home: WindowsHome,
  ringAll: () => Promise<Rung>,
): Promise<Rung> {
  const manifest = wine.at(`${PACKAGE}\\package.json`);
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, withNext(text));
  const upgrading = wine.run([home.cli(['install', '--yes'])]);
  const ringing = ringAll();
  allDone(await upgrading);
  return ringing;
}

/** `hookbell upgrade`, which finds npm, which gets the next version from a registry of ours. */
async function upgradeByNpm<Rung>(
  wine: Wine,
  home: WindowsHome,
  ringAll: () => Promise<Rung>,
): Promise<Rung> {
  await using directory = await temporaryDirectory();
  const unpacked = join(directory.path, 'package');
  await cp(wine.at(PACKAGE), unpacked, { recursive: true });
  const manifest = join(unpacked, 'package.json');
  await writeFile(manifest, withNext(await readFile(manifest, 'utf8')));
  const archive = join(directory.path, 'next.tgz');
  await execute('tar', ['-czf', archive, '-C', directory.path, 'package']);
  await using registry = await startLocalRegistry(projectRoot);
  await registry.publish(archive);

  await installNpm(wine, home);
  const upgrade = home.cli(['upgrade'], 'installed');
  const job: Run = {
    ...upgrade,
    env: {
      ...home.env,
      PATH: `${NODE_FOLDER};C:\\windows\\system32`,
      npm_config_prefix: PREFIX,
      npm_config_registry: registry.url,
      npm_config_omit: 'optional',
      npm_config_fetch_retries: '0',
      npm_config_audit: 'false',
    },
  };
  const upgrading = wine.run([job]);
  const ringing = ringAll();
  const { stdout } = allDone(await upgrading);
  if (!stdout.includes(`installed by npm ${PACKAGE}`) || !registry.asked.has('hookbell')) {
    throw new Error(`Not by npm: ${stdout}`);
  }
  return ringing;
}

/** The npm of this machine, where the installer of Node for Windows has it. */
async function installNpm(wine: Wine, home: WindowsHome): Promise<void> {
  const { stdout } = await execute('npm', ['root', '--global']);
  const npm = `${NODE_FOLDER}\\node_modules\\npm`;
  await mkdir(wine.at(npm), { recursive: true });
  await cp(join(stdout.trim(), 'npm'), wine.at(npm), { recursive: true });
  await home.write(`${PREFIX}\\plain-connections.cjs`, PLAIN_CONNECTIONS);
  const words = `--require ${PREFIX}\\plain-connections.cjs "${npm}\\bin\\npm-cli.js" %*`;
  // The batch file that npm has itself begins with "::", which this Wine prints.
  await home.write(`${NODE_FOLDER}\\npm.cmd`, `@echo off\r\n"${NODE}" ${words}\r\n`);
}

function withNext(manifest: string): string {
  return manifest.replace(/"version": "[^"]*"/, `"version": "${NEXT}"`);
}

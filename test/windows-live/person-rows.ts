import { access, cp, mkdir } from 'node:fs/promises';

import { NODE, type Wine } from './wine.ts';
import { allDone, makeHome, type WindowsHome } from './windows-home.ts';

/** In PATH. */
const BIN = 'C:\\bin';
/** A project with programs that must not run. */
const REPOSITORY = 'C:\\planted';
const RAN = `${REPOSITORY}\\ran`;

const isAt = (wine: Wine, path: string): Promise<boolean> =>
  access(wine.at(path)).then(
    () => true,
    () => false,
  );

/** Lines of a batch file. */
const batch = (...lines: readonly string[]): string =>
  ['@echo off', ...lines].map((line) => `${line}\r\n`).join('');

/** What hookbell starts for a person: an editor, an agent on trial, and a command by its name, all of them batch files. */
export async function checkPrograms(wine: Wine, home: WindowsHome): Promise<string> {
  const config = `${BIN}\\a & b (1) ^ Söhne\\config.yaml`;
  await home.write(config, '# Mine\n');
  await home.write(`${BIN}\\edit.cmd`, batch('echo # %1 %2>>%3'));
  await home.write(`${BIN}\\claude.cmd`, batch(`"${NODE}" ${BIN}\\claude.js %*`));
  const claude = `require('node:fs').writeFileSync('${BIN.replace('\\', '/')}/asked', process.argv.slice(2).join(' '));`;
  await home.write(`${BIN}\\claude.js`, claude);
  for (const name of ['edit', 'claude', 'chcp', 'ps', 'node', 'notepad', 'powershell', 'reg']) {
    await home.write(`${REPOSITORY}\\${name}.cmd`, batch(`echo ${name}>>${RAN}`));
  }
  const env = { ...home.env, PATH: `.;${BIN};C:\\windows\\system32` };
  const here = { env, cwd: REPOSITORY };
  const editing = home.cli(['config', 'edit'], 'installed');
  const editor = { VISUAL: 'edit --wait "two words"', HOOKBELL_CONFIG: config };
  allDone(await wine.run([{ ...editing, ...here, env: { ...env, ...editor } }]));
  const edited = await home.read(config);
  if (!/^# Mine\n# "?--wait"? "?two words"?\r\n$/.test(edited))
    throw new Error(`Edited: ${edited}`);

  const trial = home.cli(['doctor', '--canary', '--run', '--agent', 'claude'], 'installed');
  const { stdout, stderr } = await wine.work({ ...trial, ...here });
  const asked = await home.read(`${BIN}\\asked`).catch(() => '');
  if (!/^-p Answer with the word hookbell-canary-\d+ and nothing else$/.test(asked)) {
    throw new Error(`Claude Code was asked "${asked}": ${stdout}${stderr}`);
  }

  const line = `"${home.home}\\.local\\bin\\hookbell.cmd" --version`;
  const argv = ['cmd.exe', '/d', '/s', '/c', `"${line}"`];
  allDone(await wine.run([{ argv, ...here, verbatim: true }]));
  if (await isAt(wine, RAN))
    throw new Error(`A project's own program ran: ${await home.read(RAN)}`);
  return 'an editor, an agent and the command, never those of the current folder';
}

/** The demo has a separate daemon, and leaves that of the person alone. */
export async function checkDemo(wine: Wine): Promise<string> {
  const home = await makeHome(wine, 'C:\\users\\demo');
  const { status, stdout } = await wine.work(home.cli(['demo', '--json', '--speed', '2']));
  if (await isAt(wine, home.state)) throw new Error(`The demo used "${home.state}"`);
  const hooks = stdout.split('"type": "hook"').length - 1;
  if (!stdout.includes('"type": "daemon"') || hooks === 0) throw new Error(stdout);
  if (status === 0) return `${hooks} events, and nothing in the folders of the person`;
  // Wine 8 lets no connection be made that is to be kept alive.
  if (!stdout.includes('network error UNKNOWN')) throw new Error(stdout);
  return 'its daemon and hook run, and nothing in the folders of the person; this Wine sends nothing';
}

/** The plugin of a project, in which no path of a machine may be. */
export async function checkProjectPlugin(wine: Wine, home: WindowsHome): Promise<string> {
  const project = 'C:\\project & Söhne';
  await mkdir(wine.at(`${project}\\.opencode`), { recursive: true });
  await mkdir(wine.at(`${project}\\.git`), { recursive: true });
  const words = ['install', '--scope', 'project', '--agent', 'opencode', '--yes'];
  // Someone who has no plugin that would run in every project.
  const env = { ...home.env, USERPROFILE: 'C:\\users\\elsewhere' };
  const { stdout: said } = allDone(
    await wine.run([{ ...home.cli(words, 'installed'), env, cwd: project }]),
  );
  const plugin = `${project}\\.opencode\\plugins\\hookbell.js`;
  const text = await home.read(plugin).catch(() => '');
  if (text === '') throw new Error(`There is no plugin: ${said}`);
  if (text.includes(home.home.split('\\').at(-1) ?? '')) throw new Error(text);
  // Where Windows says that this user's folder is, regardless of variables.
  const { stdout: real } = await wine.work({
    argv: [NODE, '-e', 'process.stdout.write(require("node:os").userInfo().homedir)'],
    env: home.env,
  });
  const program = `${real}\\AppData\\Local\\Programs\\hookbell`;
  await cp(wine.at(home.program), wine.at(program), { recursive: true });
  const event = { type: 'session.idle', properties: { sessionID: 'of-a-project' } };
  const script = `import(require('node:url').pathToFileURL(process.argv[1])).then(({ Hookbell }) => Hookbell({ directory: 'C:\\\\repo' })).then((plugin) => plugin.event({ event: ${JSON.stringify(event)} }))`;
  allDone(await wine.run([{ argv: [NODE, '-e', script, plugin], env: home.env }]));
  return wine.until('the event of the plugin of a project', async () =>
    (await home.read(home.lines)).includes('of-a-project') ? 'found without a path in it' : null,
  );
}

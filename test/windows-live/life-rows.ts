import { access, readdir, readFile, writeFile } from 'node:fs/promises';

import { dialects } from '../../src/agents/registry.ts';
import { hookCommandLine } from '../../src/setup/hook-places.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { NODE, type Wine } from './wine.ts';
import { allDone, makeHome, type WindowsHome } from './windows-home.ts';

/** Where Wine keeps the task that starts the daemon at log-on; its `schtasks` cannot be asked for it. */
const TASK = String.raw`C:\windows\system32\tasks\hookbell`;

/** Settings as programs of Windows write them: with a byte order mark, and lines that end as theirs do. */
const SETTINGS = {
  '.claude\\settings.json':
    '\ufeff{\r\n  "model": "sonnet",\r\n  // Mine\r\n  "hooks": {}\r\n}\r\n',
  '.codex\\config.toml': '\ufeff# Mine\r\nmodel = "x"   # odd blanks\r\n',
  '.codex\\hooks.json': '\ufeff{\r\n\t"hooks": { "Stop": [] }\r\n}',
  '.factory\\settings.json': '{ "a": 1.0e2 }\r\n',
  '.gemini\\settings.json': '\ufeff{\r\n  "theme": "Söhne"\r\n}\r\n\r\n',
  '.qwen\\settings.json': '{"a":"\\u00e9"}',
  '.cursor\\hooks.json': '\ufeff{\r\n  "version": 1,\r\n  "hooks": {}\r\n}\r\n',
  '.copilot\\hooks\\hookbell-vscode.json': '\ufeff{\r\n  "hooks": {}\r\n}\r\n',
  '.augment\\settings.json': '{\r\n  // Mine\r\n  "model": "x"\r\n}',
  '.letta\\settings.json': '\ufeff{"hooks": {"Stop": []}}\r\n',
  '.grok\\hooks\\hookbell.json': '{\r\n}\r\n',
  '.kimi-code\\config.toml':
    '\ufeff# Mine\r\ndefault_model = "x"\r\n\r\n[providers.x]\r\ntype = "openai"\r\n',
  '.qoder\\settings.json': '\ufeff{\r\n\t"hooks": {},\r\n\t"theme": "Söhne"\r\n}\r\n',
  '.config\\crush\\crush.json': '\ufeff{\r\n  "$schema": "x",\r\n  "models": {}\r\n}\r\n',
} as const;

const registered = Object.values(dialects).filter(({ registrations }) => registrations.length > 0);

export async function checkLife(wine: Wine, home: WindowsHome): Promise<string> {
  for (const [file, text] of Object.entries(SETTINGS))
    await home.write(`${home.home}\\${file}`, text);

  const installed = allDone(await wine.run([home.cli(['install', '--yes'])]));

  for (const agent of registered.map(({ agent: name }) => name)) {
    if (!installed.stdout.includes(`${agent}: `))
      throw new Error(`${agent} is missing: ${installed.stdout}`);
  }
  if (!/^\+ test {2,}/m.test(installed.stdout)) throw new Error(installed.stdout);
  allDone(await wine.run([home.cli(['test', 'lines'], 'installed')]));
  const [first = '', ...others] = (await home.read(home.lines)).trimEnd().split('\n');
  if (!first.includes('"channel":"lines"') || others.length > 0) {
    throw new Error(`The file has: ${first}${others.join('')}`);
  }
  if (!(await isAt(wine, TASK))) throw new Error('There is no task that starts the daemon');
  const doctor = await wine.work(home.cli(['doctor', '--json'], 'installed'));
  if (doctor.stdout.includes('"state": "problem"') || doctor.status !== 0)
    throw new Error(doctor.stdout);
  const muted = allDone(
    await wine.run([
      home.cli(['status'], 'installed'),
      home.cli(['mute', '10m'], 'installed'),
      home.cli(['trigger', 'Notification', '--set', 'message=Söhne & 100 % "ja" 👍'], 'installed'),
      home.cli(['history', '--json'], 'installed'),
    ]),
  );
  const [{ eventId = '' } = {}]: { eventId?: string }[] = JSON.parse(muted.stdout);
  const explained = allDone(
    await wine.run([
      home.cli(['mute', 'off'], 'installed'),
      home.cli(['explain', eventId], 'installed'),
    ]),
  );
  if (!explained.stdout.includes('Söhne & 100 % "ja" 👍')) throw new Error(explained.stdout);
  const stopped = await wine.run([
    home.cli(['stop'], 'installed'),
    home.cli(['status'], 'installed'),
    home.cli(['start'], 'installed'),
    home.cli(['status'], 'installed'),
  ]);
  if (stopped.map(({ status }) => status).join(' ') !== '0 4 0 0') {
    throw new Error(stopped.map(({ status, stderr }) => `${status} ${stderr}`).join(' '));
  }
  // By the command that people type, which is a batch file.
  const command = `"${home.home}\\.local\\bin\\hookbell.cmd" --version`;
  const argv = ['cmd.exe', '/d', '/s', '/c', `"${command}"`];
  const version = allDone(await wine.run([{ argv, env: home.env, verbatim: true }]));
  if (!/^\d+\.\d+\.\d+\r?\n$/.test(version.stdout)) throw new Error(version.stdout);
  const [init, upgrade, ...told] = await wine.run(
    [
      ['init', '--yes', '--existing', 'keep', '--no-test'],
      ['upgrade', '--dry-run'],
      ['logs'],
      ['sessions'],
      ['waiting'],
      ['config', 'check'],
    ].map((words) => home.cli(words, 'installed')),
  );
  for (const { status, stdout, stderr } of [init, ...told].flatMap((one) => one ?? []))
    if (status !== 0 || stdout + stderr === '') throw new Error(`${status}: ${stderr}${stdout}`);
  if (!`${upgrade?.stdout}${upgrade?.stderr}`.includes('C:\\npm\\node_modules\\hookbell'))
    throw new Error(`upgrade: ${upgrade?.stdout}${upgrade?.stderr}`);
  const again = allDone(await wine.run([home.cli(['install', '--yes', '--refresh'])]));
  if (/^\+ (?:hooks|command|config)/m.test(again.stdout)) throw new Error(again.stdout);
  return 'all below the folders that Windows names';
}

export async function checkStorm(wine: Wine, home: WindowsHome, events: number): Promise<string> {
  const seed = chooseSeed();
  const random = seededRandom(seed);
  process.stdout.write(`HOOKBELL_SEED=${seed}\n`);
  const before = (await home.read(home.lines)).length;
  const payloads = Array.from({ length: events }, (_, at) =>
    JSON.stringify({
      hook_event_name: 'Notification',
      notification_type: 'permission_prompt',
      session_id: `storm-${at}`,
      message: 'Claude needs your permission',
      cwd: 'C:\\repo',
    }),
  );
  const hook = `${home.program}\\dist\\program\\hookbell-hook.cjs`;
  const { status, stdout: kills } = await wine.work({
    storm: {
      argv: [NODE, hook, '--state', home.state],
      env: home.env,
      payloads,
      pidFile: `${home.state}\\daemon.pid`,
      kills: Array.from({ length: 12 }, () => [Math.floor(random() * events), random() * 500]),
      atOnce: 4,
    },
  });
  if (status !== 0) throw new Error(`A hook ended with ${status}`);
  if (Number(kills) === 0) throw new Error('No daemon was killed');
  allDone(await wine.run([home.cli(['start'], 'installed')]));
  return wine.until(`all of ${events} events to be notified`, async () => {
    const text = (await home.read(home.lines)).slice(before);
    const lines = text.split('\n').slice(0, -1);
    const seen = new Set<string>();
    let marked = 0;
    for (const line of lines) {
      const { sessionId, possibleDuplicate }: { sessionId: string; possibleDuplicate: boolean } =
        JSON.parse(line);
      if (!sessionId.startsWith('storm-')) continue;
      if (seen.has(sessionId) && !possibleDuplicate) throw new Error(`${sessionId} came twice`);
      if (seen.has(sessionId)) marked += 1;
      seen.add(sessionId);
    }
    if (seen.size === events) {
      return `${events} events, ${kills} kills, 0 lost, ${marked} twice and marked`;
    }
    return null;
  });
}

/** Programs of Windows keep others from replacing a file that they have open. */
export async function checkFiles(wine: Wine, home: WindowsHome, standIn: string): Promise<string> {
  const settings = `${home.home}\\.gemini\\settings.json`;
  const before = await home.read(settings);
  const other = before.replaceAll('"AfterAgent"', '"AfterAgents"');
  if (other === before) throw new Error(before);
  await writeFile(wine.at(settings), other);
  const holding = wine.work({ argv: [standIn, '--hold', settings] });
  const folder = wine.at('C:\\recorded');
  await wine.until('the file to be open', async () =>
    (await readdir(folder).catch(() => [])).some((name) => name.endsWith('.held')) ? true : null,
  );
  allDone(await wine.run([home.cli(['install', '--yes', '--refresh'], 'installed')]));
  allDone([await holding]);
  if (!(await home.read(settings)).includes('"AfterAgent"'))
    throw new Error('The settings were not replaced');
  await writeFile(wine.at(settings), before);
  return 'settings that another program has open are replaced when it has closed them';
}

export async function checkRemoval(wine: Wine, home: WindowsHome): Promise<string> {
  allDone(await wine.run([home.cli(['uninstall', '--purge', '--yes'])]));

  for (const [file, text] of Object.entries(SETTINGS)) {
    const now = await home.read(`${home.home}\\${file}`);
    if (now !== text) throw new Error(`"${file}" is not as it was: ${JSON.stringify(now)}`);
  }
  const files = registered
    .flatMap(({ registrations }) => registrations)
    .flatMap(({ files: each }) => each.map(({ path }) => path.replaceAll('/', '\\')))
    .filter((file) => !Object.hasOwn(SETTINGS, file))
    .map((file) => `${home.home}\\${file}`);
  const config = `${home.env['APPDATA'] ?? ''}\\hookbell`;
  const command = `${home.home}\\.local\\bin\\hookbell.cmd`;
  for (const path of [home.state, home.program, config, command, TASK, ...files]) {
    if (await isAt(wine, path)) throw new Error(`"${path}" is still there`);
  }
  return `no file is left, and the settings of ${Object.keys(SETTINGS).length} files have their bytes`;
}

function isAt(wine: Wine, path: string): Promise<boolean> {
  return access(wine.at(path)).then(
    () => true,
    () => false,
  );
}

/** What an earlier version registered on Windows lost every event; what names a Node that is gone cannot run. */
export async function checkOldHook(wine: Wine): Promise<string> {
  const home = await makeHome(wine, 'C:\\users\\old');
  allDone(await wine.run([home.cli(['install', '--yes', '--no-service', '--agent', 'claude'])]));
  const line = hookCommandLine(`${home.program}\\hooks\\hookbell-hook`, ['--state', home.state]);
  const settings = `${home.home}\\.claude\\settings.json`;
  const handler = { type: 'command', command: line, timeout: 5 };
  await writeFile(wine.at(settings), JSON.stringify({ hooks: { Stop: [{ hooks: [handler] }] } }));

  const [doctor, mended, after] = await wine.run([
    home.cli(['doctor', '--json'], 'installed'),
    home.cli(['install', '--refresh', '--yes']),
    home.cli(['doctor', '--json'], 'installed'),
  ]);
  if (doctor?.stdout.includes('needs a POSIX shell') !== true) throw new Error(doctor?.stdout);
  if (mended?.status !== 0) throw new Error(mended?.stderr);
  if (after?.status !== 0) throw new Error(after?.stdout);

  // A Node that was removed, or another machine's.
  const text = await readFile(wine.at(settings), 'utf8');
  const elsewhere = JSON.stringify('C:\\gone\\node.exe');
  await writeFile(wine.at(settings), text.replaceAll(JSON.stringify(NODE), elsewhere));
  const [gone, back] = await wine.run([
    home.cli(['doctor', '--json'], 'installed'),
    home.cli(['install', '--refresh', '--yes']),
    home.cli(['stop'], 'installed'),
  ]);
  if (gone?.stdout.includes('cannot be run: C:') !== true) throw new Error(gone?.stdout);
  if (back?.status !== 0 || (await readFile(wine.at(settings), 'utf8')) !== text) {
    throw new Error(`Not mended: ${back?.stderr}`);
  }
  return 'doctor names it, also one whose Node is gone, and install mends both';
}

/** Agents whose line is for cmd as well. */
const EITHER_SHELL = 'droid kimi grok cursor auggie letta vscode kiro';

export async function checkRefusal(wine: Wine): Promise<string> {
  const home = await makeHome(wine, 'C:\\users\\100% sure!');

  const { status, stdout } = await wine.work(home.cli(['install', '--yes', '--dry-run']));

  const refused = [...stdout.matchAll(/(\w+): \S.* is left alone: .*because of "%"/g)];
  const names = refused.map(([, name]) => name).join(' ');
  if (names !== EITHER_SHELL || status !== 8) throw new Error(`${status}: ${names}: ${stdout}`);
  return `${names} are left alone, with the reason; the others are registered`;
}

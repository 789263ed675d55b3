import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { shellWord } from '../../src/text/escape.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { crushTurn, handlerOf } from './agent-rows.ts';
import { onlyEnvelope } from './hook-rows.ts';
import type { Run } from './jobs.ts';
import type { Wine } from './wine.ts';
import { allDone, assertSilent, type WindowsHome } from './windows-home.ts';

const PROJECT = "C:\\repos\\Laden & Söhne ^ 100 % 👍 O'Neil!";
const HOSTILE = 'May I run "C:\\Söhne & %PATH% ^ ! $HOME `id` \'x\' /c/ \\\\" 👍?';
/** Where Windows keeps which folder is CSIDL_LOCAL_APPDATA. */
const FOLDERS = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Explorer\User Shell Folders`;

interface Line {
  readonly session: string;
  readonly line: string;
  readonly payload: object;
}

const turn = (session_id: string, event = 'Stop'): object => ({
  hook_event_name: event,
  session_id,
  cwd: PROJECT,
  last_assistant_message: HOSTILE,
});

/** What needs Git Bash on Windows: hooks for every system, and Crush, which has such a shell inside. */
export async function checkShell(
  wine: Wine,
  home: WindowsHome,
  shell: readonly string[],
): Promise<string> {
  const inShell = (line: string, more: Partial<Run> = {}): Run => ({
    argv: [...shell, line],
    env: home.env,
    cwd: 'C:\\',
    ...more,
  });
  const hook = `${home.program}\\hooks\\hookbell-hook`.replaceAll('\\', '/');
  const at = (state: string): string => `${shellWord(hook)} --state ${shellWord(state)}`;
  const crush = await handlerOf(home, '.config\\crush\\crush.json', 'TurnEnd');
  const lines: Line[] = [
    { session: 'sh-crush', line: crush.command ?? '', payload: crushTurn('sh-crush') },
    { session: 'sh-hook', line: at(home.state), payload: turn('sh-hook') },
  ];
  // On Windows itself, these would look into the folders of the real user.
  if (process.platform !== 'win32') lines.push(...(await portableLines(wine, home)));
  const jobs = lines.map(({ line, payload }) => inShell(line, { input: JSON.stringify(payload) }));

  const [argument, open, none] = ['C:\\sh & argument', 'C:\\sh-open', 'C:\\sh-none'] as const;
  const bytes = JSON.stringify(turn('sh-argument'));
  const gone = hook.replace('/hooks/', '/none/');
  const promises: readonly (readonly [name: string, job: Run])[] = [
    ['a payload that is an argument', inShell(`${at(argument)} ${shellWord(bytes)}`)],
    ['input that never ends', inShell(at(open), { input: '{"a":1}', staysOpen: true })],
    ['no byte', inShell(at(none))],
    ['without its Node', inShell(await withoutNode(wine, home))],
    ['a hook that is gone', inShell(`[ ! -x ${shellWord(gone)} ] || exec ${shellWord(gone)}`)],
  ];
  const outcomes = await wine.run([...jobs, ...promises.map(([, job]) => job)], 3);

  const names = [...lines.map((one) => one.session), ...promises.map(([name]) => name)];
  for (const [place, name] of names.entries()) assertSilent(name, outcomes[place]);
  const { payload } = await onlyEnvelope(wine, argument, 'the argument');
  if (payload.toString() !== bytes) throw new Error(`Of the argument: ${payload.toString()}`);
  const cut = await onlyEnvelope(wine, open, 'input that never ends');
  const empty = await onlyEnvelope(wine, none, 'no byte');
  if (cut.isWhole || !empty.isWhole || empty.payload.length > 0) throw new Error('Not as handed');
  await wine.until('the events of the shell', async () => {
    const text = await home.read(home.lines);
    return lines.every((one) => text.includes(`"${one.session}"`)) || null;
  });
  const found = lines.map((one) => one.session.slice('sh-'.length)).join(', ');
  return `${found}: found; ${promises.length} other ways are silent`;
}

const session = (name: string): string => `sh-project-${name}`;

/** As a project and the plugin register them, for everyone who runs them. */
async function portableLines(wine: Wine, home: WindowsHome): Promise<readonly Line[]> {
  await mkdir(wine.at(`${PROJECT}\\.git`), { recursive: true });
  const agents = ['claude', 'copilot', 'crush'].flatMap((agent) => ['--agent', agent]);
  const words = ['install', '--scope', 'project', ...agents, '--yes'];
  const data = home.env['LOCALAPPDATA'] ?? '';
  const value = ['/v', 'Local AppData', '/t', 'REG_SZ', '/d', data, '/f'];
  const env = { ...home.env, USERPROFILE: 'C:\\users\\elsewhere' };
  allDone(
    await wine.run([
      { argv: ['reg.exe', 'add', FOLDERS, ...value] },
      { ...home.cli(words, 'installed'), env, cwd: PROJECT },
    ]),
  );
  const file = 'packaging/plugin/hooks/hooks.json';
  await home.write(`${PROJECT}\\plugin.json`, await readFile(join(projectRoot, file), 'utf8'));
  const hookOf = async (path: string, event: string): Promise<string> => {
    const { command, bash } = await handlerOf(home, `${PROJECT}\\${path}`, event);
    return bash ?? command ?? '';
  };
  return [
    {
      session: session('claude'),
      line: await hookOf('.claude\\settings.json', 'Stop'),
      payload: turn(session('claude')),
    },
    {
      session: session('copilot'),
      line: await hookOf('.github\\hooks\\hookbell.json', 'agentStop'),
      payload: { sessionId: session('copilot'), timestamp: 1_764_288_000_000, cwd: PROJECT },
    },
    {
      session: session('crush'),
      line: await hookOf('crush.json', 'TurnEnd'),
      payload: crushTurn(session('crush')),
    },
    {
      session: session('plugin'),
      line: await hookOf('plugin.json', 'Stop'),
      payload: turn(session('plugin')),
    },
  ];
}

/** The hook of an installation whose Node was removed. */
async function withoutNode(wine: Wine, home: WindowsHome): Promise<string> {
  const program = 'C:\\without its Node';
  const hook = `${program}\\hooks\\hookbell-hook`;
  await home.write(hook, await home.read(`${home.program}\\hooks\\hookbell-hook`));
  await writeFile(wine.at(`${program}\\node-path`), 'C:\\gone\\node.exe\n');
  return shellWord(hook.replaceAll('\\', '/'));
}

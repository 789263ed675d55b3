import { readdir } from 'node:fs/promises';

import { readWindowsCommand } from '../../src/text/windows-command.ts';
import type { Run } from './jobs.ts';
import { NODE, type Wine } from './wine.ts';
import { allDone, type WindowsHome } from './windows-home.ts';

/** A hook of an agent as its settings have it, with the end of a turn. */
interface AgentRow {
  readonly name: string;
  /** What runs it here. Without a PowerShell, the words that it would read are run. */
  readonly by: 'itself' | 'cmd' | 'its words';
  job(wine: Wine, home: WindowsHome, session: string): Promise<Run>;
}

interface Handler {
  readonly command?: string;
  readonly powershell?: string;
  readonly args?: readonly string[];
}

const direct = (argv: readonly string[], home: WindowsHome, input: object): Run => ({
  argv,
  env: home.env,
  input: JSON.stringify(input),
});

/** By PowerShell, whose line is read as it would read it. */
const byWords =
  (file: string, event: string, payload: (session: string) => object): AgentRow['job'] =>
  async (_, home, session) => {
    const { command, powershell } = await handlerOf(home, file, event);
    const words = readWindowsCommand(powershell ?? command ?? '');
    if (words === null) throw new Error(`Not read: ${command ?? powershell}`);
    return direct(words, home, payload(session));
  };

const byCmd =
  (file: string, event: string, payload: (session: string) => object): AgentRow['job'] =>
  async (_, home, session) => {
    const { command = '' } = await handlerOf(home, file, event);
    const argv = ['cmd.exe', '/d', '/s', '/c', `"${command}"`];
    return { ...direct(argv, home, payload(session)), verbatim: true };
  };

const stop = (session_id: string): object => ({
  hook_event_name: 'Stop',
  session_id,
  cwd: 'C:\\repo',
});

const agentRows: readonly AgentRow[] = [
  {
    name: 'Claude Code',
    by: 'itself',
    async job(_, home, session) {
      const { command = '', args = [] } = await handlerOf(home, '.claude\\settings.json', 'Stop');
      return direct([command, ...args], home, stop(session));
    },
  },
  { name: 'droid', by: 'cmd', job: byCmd('.factory\\settings.json', 'Stop', stop) },
  {
    name: 'Cursor',
    by: 'cmd',
    job: byCmd('.cursor\\hooks.json', 'stop', (session) => ({
      hook_event_name: 'stop',
      conversation_id: session,
      status: 'completed',
      workspace_roots: ['C:\\repo'],
    })),
  },
  {
    name: 'Codex',
    by: 'its words',
    job: byWords('.codex\\hooks.json', 'Stop', stop),
  },
  {
    name: 'Codex (notify)',
    by: 'itself',
    async job(_, home, session) {
      const [, list = '[]'] =
        /^notify = (.*)$/m.exec(await home.read(`${home.home}\\.codex\\config.toml`)) ?? [];
      const argv: readonly string[] = JSON.parse(list);
      const payload = {
        type: 'agent-turn-complete',
        'thread-id': session,
        'turn-id': '1',
        cwd: 'C:\\repo',
        'last-assistant-message': 'He said "done" 100 %',
      };
      return { argv: [...argv, JSON.stringify(payload)], env: home.env };
    },
  },
  {
    name: 'Gemini CLI',
    by: 'its words',
    job: byWords('.gemini\\settings.json', 'AfterAgent', (session_id) => ({
      hook_event_name: 'AfterAgent',
      session_id,
      cwd: 'C:\\repo',
    })),
  },
  {
    name: 'Qwen Code',
    by: 'its words',
    job: byWords('.qwen\\settings.json', 'Stop', stop),
  },
  {
    name: 'Copilot CLI',
    by: 'its words',
    job: byWords('.copilot\\hooks\\hookbell.json', 'agentStop', (sessionId) => ({
      sessionId,
      timestamp: 1_764_288_000_000,
      cwd: 'C:\\repo',
    })),
  },
  {
    name: 'OpenCode',
    by: 'itself',
    async job(_, home, session) {
      const event = { type: 'session.idle', properties: { sessionID: session } };
      const script = `import(require('node:url').pathToFileURL(process.argv[1])).then(({ Hookbell }) => Hookbell({ directory: 'C:\\\\repo' })).then((plugin) => plugin.event({ event: ${JSON.stringify(event)} }))`;
      const plugin = `${home.home}\\.config\\opencode\\plugins\\hookbell.js`;
      return { argv: [NODE, '-e', script, plugin], env: home.env };
    },
  },
];

/** The first hook for an event in the settings of an agent. */
export async function handlerOf(home: WindowsHome, file: string, event: string): Promise<Handler> {
  const text = (await home.read(`${home.home}\\${file}`))
    .replace('\ufeff', '')
    .replaceAll(/^\s*\/\/.*$/gm, '');
  const { hooks }: { hooks: Record<string, ({ hooks?: Handler[] } & Handler)[]> } =
    JSON.parse(text);
  const [entry] = hooks[event] ?? [];
  const handler = entry?.hooks?.[0] ?? entry;
  if (handler === undefined) throw new Error(`"${file}" has no hook for "${event}"`);
  return handler;
}

/** Runs each hook as it is registered, and looks for its event in the history. */
export async function checkAgents(wine: Wine, home: WindowsHome): Promise<string> {
  const jobs = await Promise.all(agentRows.map((row) => row.job(wine, home, sessionOf(row))));
  const outcomes = await wine.run(jobs, 3);
  for (const [at, { name }] of agentRows.entries()) {
    const { status, stdout, stderr } = outcomes[at] ?? { status: null, stdout: '', stderr: '' };
    if (status !== 0 || stdout + stderr !== '') {
      throw new Error(`${name}: status ${status}, said "${stdout}${stderr}"`);
    }
  }
  await wine.until(
    'all to be read',
    async () => (await readdir(wine.at(`${home.state}\\spool`))).length === 0 || null,
  );
  const { stdout } = allDone(
    await wine.run([home.cli(['history', '--json', '-n', '50'], 'installed')]),
  );
  const missing = agentRows.filter((row) => !stdout.includes(sessionOf(row)));
  const names = missing.map(({ name }) => name).join(', ');
  if (names !== '') throw new Error(`No event of ${names}`);
  return agentRows.map(({ name, by }) => `${name} (${by})`).join(', ');
}

function sessionOf({ name }: AgentRow): string {
  return `of-${name.replaceAll(/\W/g, '-')}`;
}

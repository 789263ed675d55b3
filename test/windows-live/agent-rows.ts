import { readdir } from 'node:fs/promises';

import { z } from 'zod';

import { dialects } from '../../src/agents/registry.ts';
import { type DialectName, dialectNames } from '../../src/core/hook-event.ts';
import { readWindowsCommand } from '../../src/text/windows-command.ts';
import type { Run } from './jobs.ts';
import { NODE, type Wine } from './wine.ts';
import { allDone, assertSilent, type WindowsHome } from './windows-home.ts';

/** A hook of an agent as its settings have it, with the end of a turn. */
interface AgentRow {
  readonly name: string;
  readonly agent: DialectName;
  /** What runs it here. Without a PowerShell, the words that it would read are run. */
  readonly by: 'itself' | 'cmd' | 'its words';
  /** Variables that the agent sets for its hooks. */
  readonly env?: Readonly<Record<string, string>>;
  job(wine: Wine, home: WindowsHome, session: string): Promise<Run>;
}

/** What an agent runs for an event. */
const Handler = z.object({
  command: z.string().optional(),
  bash: z.string().optional(),
  powershell: z.string().optional(),
  args: z.array(z.string()).optional(),
});
type Handler = z.output<typeof Handler>;

const Settings = z.object({
  hooks: z.union([
    z.record(z.string(), z.array(Handler.extend({ hooks: z.array(Handler).optional() }))),
    // Kiro's.
    z.array(z.object({ trigger: z.string(), action: Handler })),
  ]),
});

const direct = (argv: readonly string[], home: WindowsHome, input: object): Run => ({
  argv,
  env: home.env,
  input: JSON.stringify(input),
});

/** A file below the home directory, the event, and what the agent sends for it. */
type Hook = readonly [file: string, event: string, payload?: (session: string) => object];

/** By PowerShell, or a shell that the agent contains, whose line is read as it would read it. */
const byWords =
  (...[file, event, payload = stop]: Hook): AgentRow['job'] =>
  async (_, home, session) => {
    const { command, powershell } = await handlerOf(home, file, event);
    const words = readWindowsCommand(powershell ?? command ?? '');
    if (words === null) throw new Error(`Not read: ${command ?? powershell}`);
    return direct(words, home, payload(session));
  };

const byCmd =
  (...[file, event, payload = stop]: Hook): AgentRow['job'] =>
  async (_, home, session) => {
    const { command = '' } = await handlerOf(home, file, event);
    const argv = ['cmd.exe', '/d', '/s', '/c', `"${command}"`];
    return { ...direct(argv, home, payload(session)), verbatim: true };
  };

/** A line for cmd and PowerShell, where it is not known which of them runs it. */
const byEither = (name: string, agent: DialectName, ...hook: Hook): readonly AgentRow[] => [
  { name, agent, by: 'cmd', job: byCmd(...hook) },
  { name, agent, by: 'its words', job: byWords(...hook) },
];

/** By a module of ours: `module` in this script is what it exports, and the session is `session`. */
const byModule =
  (file: string, script: string): AgentRow['job'] =>
  async (_, home, session) => {
    // Amp runs TypeScript; what it loads is plain JavaScript.
    const copy = `C:\\modules\\${session}.mjs`;
    await home.write(copy, await home.read(`${home.home}\\${file}`));
    const start = `const session = '${session}', cwd = 'C:\\\\' + session;
      const sessionManager = { getSessionId: () => session, getSessionName: () => undefined };`;
    const load = `import(require('node:url').pathToFileURL(process.argv[1]))`;
    const argv = [NODE, '-e', `${start} ${load}.then(async (module) => { ${script} })`, copy];
    return { argv, env: home.env };
  };

const stop = (session_id: string): object => ({
  hook_event_name: 'Stop',
  session_id,
  cwd: `C:\\${session_id}`,
});

/** Crush has a POSIX shell inside. */
export const crushTurn = (session_id: string): object => ({
  event: 'TurnEnd',
  session_id,
  cwd: `C:\\${session_id}`,
});

const plugin = `const { event } = await module.Hookbell({ directory: cwd });
  await event({ event: { type: 'session.idle', properties: { sessionID: session } } });`;

const agentRows: readonly AgentRow[] = [
  {
    name: 'Claude Code',
    agent: 'claude',
    by: 'itself',
    env: { CLAUDECODE: '1' },
    async job(_, home, session) {
      const { command = '', args = [] } = await handlerOf(home, '.claude\\settings.json', 'Stop');
      return direct([command, ...args], home, stop(session));
    },
  },
  ...byEither('droid', 'droid', '.factory\\settings.json', 'Stop').map((row) => ({
    ...row,
    env: { DROID_PROJECT_DIR: 'C:\\repo' },
  })),
  ...byEither('Cursor', 'cursor', '.cursor\\hooks.json', 'stop', (session) => ({
    hook_event_name: 'stop',
    conversation_id: session,
    status: 'completed',
    workspace_roots: [`C:\\${session}`],
  })),
  ...byEither(
    "VS Code's agent",
    'vscode',
    '.copilot\\hooks\\hookbell-vscode.json',
    'Stop',
    (sessionId) => ({
      hookEventName: 'Stop',
      sessionId,
      timestamp: '2026-11-27T18:00:00.000Z',
      transcript_path: 'C:\\none\\workspaceStorage\\1\\chatSessions\\v.json',
      cwd: `C:\\${sessionId}`,
    }),
  ),
  ...byEither('Auggie', 'auggie', '.augment\\settings.json', 'Stop', (session) => ({
    hook_event_name: 'Stop',
    conversation_id: session,
    workspace_roots: [`C:\\${session}`],
  })),
  ...byEither('Letta Code', 'letta', '.letta\\settings.json', 'Stop', (session) => ({
    event_type: 'Stop',
    working_directory: `C:\\${session}`,
  })),
  ...byEither('Grok Build', 'grok', '.grok\\hooks\\hookbell.json', 'Stop'),
  ...byEither('Kiro', 'kiro', '.kiro\\hooks\\hookbell.json', 'Stop'),
  ...byEither('Kimi Code', 'kimi', '.kimi-code\\config.toml', 'Stop'),
  { name: 'Codex', agent: 'codex', by: 'its words', job: byWords('.codex\\hooks.json', 'Stop') },
  {
    name: 'Codex (notify)',
    agent: 'codex',
    by: 'itself',
    async job(_, home, session) {
      const [, list = '[]'] =
        /^notify = (.*)$/m.exec(await home.read(`${home.home}\\.codex\\config.toml`)) ?? [];
      const argv: readonly string[] = JSON.parse(list);
      const payload = {
        type: 'agent-turn-complete',
        'thread-id': session,
        'turn-id': '1',
        cwd: `C:\\${session}`,
        'last-assistant-message': 'He said "done" 100 %',
      };
      return { argv: [...argv, JSON.stringify(payload)], env: home.env };
    },
  },
  {
    name: 'Gemini CLI',
    agent: 'gemini',
    by: 'its words',
    job: byWords('.gemini\\settings.json', 'AfterAgent', (session_id) => ({
      hook_event_name: 'AfterAgent',
      session_id,
      cwd: `C:\\${session_id}`,
    })),
  },
  {
    name: 'Qwen Code',
    agent: 'qwen',
    by: 'its words',
    job: byWords('.qwen\\settings.json', 'Stop'),
  },
  { name: 'Qoder', agent: 'qoder', by: 'its words', job: byWords('.qoder\\settings.json', 'Stop') },
  {
    name: 'Crush',
    agent: 'crush',
    by: 'its words',
    job: byWords('.config\\crush\\crush.json', 'TurnEnd', crushTurn),
  },
  {
    name: 'Copilot CLI',
    agent: 'copilot',
    by: 'its words',
    job: byWords('.copilot\\hooks\\hookbell.json', 'agentStop', (sessionId) => ({
      sessionId,
      timestamp: 1_764_288_000_000,
      cwd: `C:\\${sessionId}`,
    })),
  },
  {
    name: 'OpenCode',
    agent: 'opencode',
    by: 'itself',
    job: byModule('.config\\opencode\\plugins\\hookbell.js', plugin),
  },
  {
    name: 'Kilo',
    agent: 'kilo',
    by: 'itself',
    job: byModule('.config\\kilo\\plugins\\hookbell.js', plugin),
  },
  {
    name: 'Pi',
    agent: 'pi',
    by: 'itself',
    job: byModule(
      '.pi\\agent\\extensions\\hookbell.js',
      `const on = {};
      module.default({ on: (name, handler) => (on[name] = handler) });
      on.agent_settled({}, { sessionManager, cwd });`,
    ),
  },
  {
    name: 'Cline',
    agent: 'cline',
    by: 'itself',
    job: byModule(
      '.cline\\plugins\\hookbell.js',
      `const { setup, hooks } = module.default;
      setup({}, { session: { sessionId: session }, workspaceInfo: { rootPath: cwd } });
      await hooks.afterRun({ snapshot: {}, result: { status: 'completed', outputText: 'Done' } });`,
    ),
  },
  {
    name: 'Amp',
    agent: 'amp',
    by: 'itself',
    job: byModule(
      '.config\\amp\\plugins\\hookbell.ts',
      `const on = {};
      const helpers = { filePathFromURI: () => cwd };
      module.default({ on: (name, handler) => (on[name] = handler), system: { workspaceRoot: 'file:' }, helpers });
      on['agent.end']({ thread: { id: session }, status: 'done', messages: [] });`,
    ),
  },
];

/** The first hook for an event in the settings of an agent. */
export async function handlerOf(home: WindowsHome, file: string, event: string): Promise<Handler> {
  const path = file.includes(':') ? file : `${home.home}\\${file}`;
  const text = await home.read(path);
  const found = file.endsWith('.toml') ? inToml(text, event) : inJson(text, event);
  if (found === undefined) throw new Error(`"${path}" has no hook for "${event}"`);
  return found;
}

function inToml(text: string, event: string): Handler | undefined {
  const [, line] = new RegExp(`^event = "${event}"\r?\ncommand = (".*")`, 'm').exec(text) ?? [];
  return line === undefined ? undefined : { command: JSON.parse(line) };
}

function inJson(text: string, event: string): Handler | undefined {
  const plain = text.replace('\ufeff', '').replaceAll(/^\s*\/\/.*$/gm, '');
  const { hooks } = Settings.parse(JSON.parse(plain));
  if (Array.isArray(hooks)) return hooks.find(({ trigger }) => trigger === event)?.action;
  const [entry] = hooks[event] ?? [];
  return entry?.hooks?.[0] ?? entry;
}

/** Runs each hook as it is registered, and looks for its event in the history. */
export async function checkAgents(wine: Wine, home: WindowsHome): Promise<string> {
  const left = dialectNames.filter(
    (name) =>
      dialects[name].registrations.length > 0 && !agentRows.some(({ agent }) => agent === name),
  );
  if (left.length > 0) throw new Error(`No row for ${left.join(', ')}`);
  const jobs = await Promise.all(agentRows.map((row) => row.job(wine, home, sessionOf(row))));
  const asAgents = jobs.map((job, at) => ({ ...job, env: { ...job.env, ...agentRows[at]?.env } }));
  const outcomes = await wine.run(asAgents, 3);
  for (const [at, row] of agentRows.entries()) assertSilent(sessionOf(row), outcomes[at]);
  await wine.until(
    'all to be read',
    async () => (await readdir(wine.at(`${home.state}\\spool`))).length === 0 || null,
  );
  const { stdout } = allDone(
    await wine.run([home.cli(['history', '--json', '-n', '100'], 'installed')]),
  );
  const views: readonly { agent: string; project: string }[] = JSON.parse(stdout);
  const missing = agentRows.filter(
    (row) => !views.some(({ agent, project }) => agent === row.agent && project === sessionOf(row)),
  );
  if (missing.length > 0) throw new Error(`No event of ${missing.map(sessionOf).join(', ')}`);
  const names = [...new Set(agentRows.map(({ name }) => name))];
  const ways = (wanted: string): string =>
    agentRows.flatMap(({ name, by }) => (name === wanted ? by : [])).join(', ');
  return names.map((name) => `${name} (${ways(name)})`).join(', ');
}

function sessionOf({ name, by }: AgentRow): string {
  return `of ${name} by ${by}`.replaceAll(/\W+/g, '-');
}

// Agents inside hosts of the Agent Client Protocol, such as Zed: a small client is the host, the adapters are the published ones, and the
// model is a script. Says what reaches a person while the host shows a permission, and at the end of the turn.
//
//   npm run test:hosts [-- --agent claude,codex,gemini]
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import type { Kind } from '../../src/core/hook-event.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../src/platform/json.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { liveAgents } from './agents.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import type { Pinned } from './live-agent.ts';
import { openLiveHome } from './live-home.ts';
import { openScriptedModel } from './model.ts';
import { installPackage, packageFolder } from './programs.ts';

interface Host {
  readonly agent: string;
  /** Null: the agent itself speaks the protocol. */
  readonly adapter: Pinned | null;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What a person is notified of. */
  readonly rings: readonly Kind[];
  /** Whether a hook shows the process of the agent, and so its host. */
  readonly showsHost: boolean;
}

const hosts: readonly Host[] = [
  {
    agent: 'claude',
    adapter: { npm: '@agentclientprotocol/claude-agent-acp', version: '0.49.0' },
    words: ['claude-agent-acp'],
    env: {},
    rings: ['needs.permission'],
    showsHost: true,
  },
  {
    agent: 'codex',
    adapter: { npm: '@agentclientprotocol/codex-acp', version: '2.6.0' },
    words: ['codex-acp'],
    env: { INITIAL_AGENT_MODE: 'read-only' },
    rings: ['turn.done'],
    showsHost: false,
  },
  {
    agent: 'gemini',
    adapter: null,
    words: ['gemini', '--experimental-acp'],
    env: {},
    rings: ['turn.done'],
    showsHost: true,
  },
];
const scripts = { 'Write the file': [{ run: 'touch first.txt' }, { say: 'It is written' }] };
/** The person lets the host wait for this long, ms: longer than requests settle. */
const THINK_MS = 9_000;
const PATIENCE_MS = 90_000;

const { values } = parseArgs({
  options: { agent: { type: 'string', default: 'claude,codex,gemini' } },
});
const chosen = hosts.filter(({ agent }) => values.agent.split(',').includes(agent));
process.exitCode = isIsolated() ? await examine() : await prepare();

async function prepare(): Promise<number> {
  const needed = chosen.flatMap(({ agent, adapter }) => [liveAgent(agent), adapter ?? []]).flat();
  for (const one of needed) {
    const trouble = await installPackage(one);
    if (trouble === null) continue;
    process.stderr.write(`Left out: ${trouble}\n`);
    return process.env['HOOKBELL_REQUIRE_SYSTEM'] === '1' ? 1 : 0;
  }
  const XDG_CACHE_HOME = join(packageFolder({ npm: 'x', version: '0' }), '..', '..');
  return await runIsolated({ XDG_CACHE_HOME });
}

function liveAgent(name: string) {
  const found = liveAgents.find(({ agent }) => agent === name);
  if (found === undefined) throw new Error(`${name} is not among the agents`);
  return found;
}

async function examine(): Promise<number> {
  let faults = 0;
  for (const host of chosen) {
    const problems = await playHost(host);
    faults += problems.length;
    const verdict = problems.length === 0 ? 'ok ' : 'BAD';
    process.stdout.write(`${verdict} ${host.words.join(' ')}  ${problems.join('; ')}\n`);
  }
  return faults === 0 ? 0 : 1;
}

function programs(of: Pinned): string {
  return join(packageFolder(of), 'node_modules/.bin');
}

async function playHost({ agent: name, adapter, words, env, rings, showsHost }: Host) {
  await using directory = await temporaryDirectory();
  const agent = liveAgent(name);
  await using model = await openScriptedModel(scripts, join(directory.path, 'model.jsonl'));
  const own = join(programs(agent), agent.program);
  await using home = await openLiveHome(agent, own, model.url);
  const around = { home: home.home, projects: home.projects, model: model.url };
  const [cwd = home.home] = home.projects;
  const [program = '', ...others] = words;
  const editor = join(home.home, 'zed');
  // A process of this name stays above the adapter.
  await writeFile(editor, '#!/bin/sh\n"$@"\n', { mode: 0o700 });
  const child = spawn(editor, [join(programs(adapter ?? agent), program), ...others], {
    cwd,
    detached: true,
    env: { HOME: home.home, PATH: process.env['PATH'], ...agent.env(around), ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const asked = { allow: nothing };
  const host = connect(child.stdin, child.stdout, (allow) => (asked.allow = allow));
  try {
    const clientCapabilities = {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    };
    await host.call('initialize', { protocolVersion: 1, clientCapabilities });
    const { sessionId } = await host.call('session/new', { cwd, mcpServers: [] });
    const prompt = [{ type: 'text', text: 'Write the file' }];
    const from = Date.now();
    const turn = host.call('session/prompt', { sessionId, prompt });
    for (let at = 0; asked.allow === nothing && at < PATIENCE_MS; at += 100) await delay(100);
    await delay(THINK_MS);
    asked.allow();
    await turn;
    await home.quiet(3_000);
    const heard = (await home.heard()).filter(({ view }) => Date.parse(view.at) >= from - 1_000);
    const rung = heard.filter(
      ({ view, rangAt }) => rangAt !== null && view.sessionId === sessionId,
    );
    const kinds = rung.map(({ view }) => view.kind);
    return [
      ...(asked.allow === nothing ? ['the host was not asked'] : []),
      ...(kinds.join() === rings.join() ? [] : [`rang ${kinds.join()}, expected ${rings.join()}`]),
      ...(heard.some(({ facts }) => facts.host === 'Zed') === showsHost ? [] : ['wrong host']),
      ...(rung.every(({ view }) => view.agent === name) ? [] : ['misnamed']),
    ];
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }
}

function nothing(): void {}

/** JSON-RPC, one document to a line. */
function connect(
  to: NodeJS.WritableStream,
  from: NodeJS.ReadableStream,
  onAsked: (allow: () => void) => void,
) {
  const open = new Map<number, (result: JsonObject) => void>();
  let id = 0;
  const say = (message: object): void => {
    to.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  createInterface({ input: from }).on('line', (line) => {
    const { id: of, method, result, params } = parseJsonObject(line) ?? {};
    if (method === undefined) {
      open.get(Number(of))?.(isJsonObject(result) ? result : {});
    } else if (method === 'session/request_permission') {
      const options =
        isJsonObject(params) && Array.isArray(params['options']) ? params['options'] : [];
      const allow = options.find((one) => isJsonObject(one) && one['kind'] === 'allow_once');
      const optionId = isJsonObject(allow) ? allow['optionId'] : null;
      onAsked(() => say({ id: of, result: { outcome: { outcome: 'selected', optionId } } }));
    } else if (of !== undefined) {
      say({ id: of, error: { code: -32_601, message: 'Not supported' } });
    }
  });
  return {
    call(method: string, params: object): Promise<JsonObject> {
      id += 1;
      say({ id, method, params });
      const mine = id;
      return new Promise((resolve) => void open.set(mine, resolve));
    },
  };
}

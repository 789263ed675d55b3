import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { type HookbellHome, projectRoot, until } from './hookbell-home.ts';
import { isAlive } from './is-alive.ts';

/** A request of Claude Code for a permission. */
export const permissionRequest = {
  hook_event_name: 'PermissionRequest',
  session_id: 'session-a',
  cwd: '/home/dev/shop',
  permission_mode: 'default',
  transcript_path: '/home/dev/.claude/projects/a.jsonl',
  tool_name: 'Bash',
  tool_input: { command: 'touch made', description: 'Make a file' },
};

/**
 * A process that runs a hook as Claude Code does, by a shell, and stays when that has ended. On descriptor 3 it says the
 * process of the hook, and then its exit code; that the hook was killed, it does not say on its standard error.
 */
const agentScript = `
  export CLAUDE_PID=$$
  exec 4<&0 5>&2
  { sh -c 'echo $$ >&3; exec "$@" 2>&5 3>&- 4<&- 5>&-' sh "$@" <&4; echo $? >&3; } 2>/dev/null &
  exec sleep 600 <&- >&- 2>&- 3>&- 4<&- 5>&-`;

/** The real hook of an agent that asks, with what it has printed so far; `agent` stands in for the process of the agent. */
export function startAsking(
  home: Pick<HookbellHome, 'paths' | 'env'>,
  payload: object = permissionRequest,
) {
  const words = [join(projectRoot, 'hooks/hookbell-ask'), '--state', home.paths.state];
  const agent = spawn('sh', ['-c', agentScript, 'sh', ...words], {
    env: home.env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const { stdin, stdout, stderr } = agent;
  const [, , , told] = agent.stdio;
  assert.ok(told instanceof Readable);
  let printed = '';
  for (const stream of [stdout, stderr]) {
    stream.on('data', (chunk: Buffer) => (printed += String(chunk)));
  }
  let said = '';
  told.on('data', (chunk: Buffer) => (said += String(chunk)));
  stdin.end(JSON.stringify(payload));
  const hook = {
    /** Known when it has begun. */
    get pid() {
      return Number(said.split('\n')[0]);
    },
    /** Null while it runs, and after a signal. */
    get exitCode() {
      const code = said.split('\n')[1] ?? '';
      return code === '' || Number(code) > 128 ? null : Number(code);
    },
    kill(signal: NodeJS.Signals = 'SIGTERM') {
      if (hook.pid > 1 && isAlive(hook.pid)) process.kill(hook.pid, signal);
    },
  };
  const over = [stdout, stderr, told].map((stream) => once(stream, 'end'));
  const ended = Promise.all(over).then(() => ({ code: hook.exitCode, printed }));
  return { hook, agent, ended, [Symbol.dispose]: () => void [hook.kill(), agent.kill()] };
}

/** The questions of the daemon, once it holds `count`. */
export async function heldQuestions(home: Pick<HookbellHome, 'ask'>, count = 1) {
  await until(async () => (await home.ask('GET /v1/questions')).length === count);
  return home.ask('GET /v1/questions');
}

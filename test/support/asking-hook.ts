import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { type HookbellHome, projectRoot, until } from './hookbell-home.ts';

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

/** The real hook of an agent that asks, with what it has printed so far; `agent` stands in for the process of the agent. */
export function startAsking(
  home: Pick<HookbellHome, 'paths' | 'env'>,
  payload: object = permissionRequest,
) {
  const agent = spawn('sleep', ['600'], { stdio: 'ignore' });
  const hook = spawn(join(projectRoot, 'hooks/hookbell-ask'), ['--state', home.paths.state], {
    env: { ...home.env, CLAUDE_PID: String(agent.pid) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [hook.stdout, hook.stderr]) {
    stream.on('data', (chunk: Buffer) => (printed += String(chunk)));
  }
  hook.stdin.end(JSON.stringify(payload));
  const ended = once(hook, 'close').then(() => ({ code: hook.exitCode, printed }));
  return { hook, agent, ended, [Symbol.dispose]: () => void [hook.kill(), agent.kill()] };
}

/** The questions of the daemon, once it holds `count`. */
export async function heldQuestions(home: Pick<HookbellHome, 'ask'>, count = 1) {
  await until(async () => (await home.ask('GET /v1/questions')).length === count);
  return home.ask('GET /v1/questions');
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { permissionRequest } from './asking-hook.ts';
import { type HookbellHome, projectRoot } from './hookbell-home.ts';

/** As measured with Claude Code: from a yes to the event of a short command, and from SIGTERM to SIGKILL, ms. */
const RAN_MS = 150;
const PATIENCE_MS = 1_400;

export type Key = 'yes' | 'no';

/**
 * Stands in for Claude Code with its prompt open: runs the registered command by `/bin/sh -c` in a separate process group, takes
 * the first decision, does not report a yes in the terminal to the hook, and stops the hook after a no.
 */
export function startAgent(home: HookbellHome, name: string) {
  const session = `session-${name}`;
  const payload = {
    ...permissionRequest,
    session_id: session,
    tool_input: { command: `touch ${name}` },
  };
  const file = join(home.home, name);
  const command = `exec '${join(projectRoot, 'hooks/hookbell-ask')}' --state '${home.paths.state}'`;
  const hook = spawn('/bin/sh', ['-c', command], {
    env: { ...home.env, CLAUDE_PID: String(process.pid) },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let printed = '';
  for (const stream of [hook.stdout, hook.stderr]) {
    stream.on('data', (chunk: Buffer) => (printed += String(chunk)));
  }
  hook.stdin.end(JSON.stringify(payload));
  let decided: 'terminal' | 'hook' | null = null;
  const after: Promise<unknown>[] = [];

  async function run(): Promise<void> {
    const startedAt = Date.now();
    writeFileSync(file, '');
    await delay(RAN_MS);
    const ran = { ...payload, hook_event_name: 'PostToolUse', tool_response: {} };
    await home.hook({ ...ran, tool_use_id: name, duration_ms: Date.now() - startedAt });
  }

  async function takeAnswer(): Promise<void> {
    await once(hook, 'close');
    if (decided !== null || printed === '') return;
    decided = 'hook';
    const { decision } = JSON.parse(printed).hookSpecificOutput;
    if (decision.behavior === 'allow') after.push(run());
  }

  const ended = takeAnswer();

  return {
    session,
    pid: hook.pid,
    ended,
    printed: () => printed,
    decided: () => decided,
    isMade: () => existsSync(file),
    press(key: Key) {
      if (decided !== null) return;
      decided = 'terminal';
      if (key === 'yes') {
        after.push(run());
        return;
      }
      const group = -(hook.pid ?? 0);
      signal(group, 'SIGTERM');
      after.push(delay(PATIENCE_MS).then(() => signal(group, 'SIGKILL')));
    },
    /** The turn is over, with all that the agent still reports. */
    async finish() {
      await Promise.all(after);
      const { tool_name: _, tool_input: __, ...common } = payload;
      await home.hook({ ...common, hook_event_name: 'Stop', stop_hook_active: false });
      await ended;
    },
  };
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(group, name);
  } catch {
    // It has ended.
  }
}

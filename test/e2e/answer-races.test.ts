import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { permissionRequest } from '../support/asking-hook.ts';
import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { personAtTerminal } from '../support/person.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { needs } from '../support/system-part.ts';

const RACES = 100;
/** The terminal and the person decide within this of each other, ms. */
const WITHIN_MS = 50;
/** As measured with Claude Code: from a yes to the event of a short command, and from SIGTERM to SIGKILL, ms. */
const RAN_MS = 150;
const PATIENCE_MS = 1_400;

type Key = 'yes' | 'no';

/**
 * Stands in for Claude Code with its prompt open: runs the registered command by `/bin/sh -c` in a separate process group, takes
 * the first decision, does not report a yes in the terminal to the hook, and stops the hook after a no.
 */
function startAgent(home: HookbellHome, name: string) {
  const session = `session-${name}`;
  const payload = {
    ...permissionRequest,
    session_id: session,
    tool_input: { command: `touch ${name}` },
  };
  const file = join(home.home, name);
  const process_ = spawn('sleep', ['600'], { stdio: 'ignore' });
  const command = `exec '${join(projectRoot, 'hooks/hookbell-ask')}' --state '${home.paths.state}'`;
  const hook = spawn('/bin/sh', ['-c', command], {
    env: { ...home.env, CLAUDE_PID: String(process_.pid) },
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
      process_.kill('SIGKILL');
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

test(
  'the terminal and a person decide within 50 ms of each other, 100 times: one decision each',
  { skip: needs('tmux', 'script'), timeout: 300_000 },
  async (t) => {
    const seed = chooseSeed();
    t.diagnostic(`HOOKBELL_SEED=${seed}`);
    const random = seededRandom(seed);
    await using home = await hookbellHome();
    await home.start();
    await using person = await personAtTerminal(home);
    const won = { terminal: 0, hook: 0 };

    for (let index = 0; index < RACES; index += 1) {
      const agent = startAgent(home, `made-${index}`);
      const waiting = () => home.ask('GET /v1/questions');
      await until(async () => (await waiting()).length === 1);
      const [question] = await waiting();
      assert.ok(question);
      const choice = random() < 0.5 ? 'allow' : 'deny';
      const key: Key = random() < 0.5 ? 'yes' : 'no';
      const { id, requestHash } = question;
      const atMs = Date.now() + WITHIN_MS / 2;
      const decision = person.decide({ question: id, requestHash, choice, atMs });
      await delay(random() * 2 * WITHIN_MS);
      agent.press(key);
      const { accepted, reason } = await decision;
      if (accepted) await agent.ended;
      await agent.finish();
      await until(async () => (await waiting()).length === 0);

      const decided = agent.decided();
      const story = JSON.stringify({
        index,
        choice,
        key,
        decided,
        accepted,
        reason,
        printed: agent.printed(),
      });
      assert.ok(decided === 'terminal' || decided === 'hook', story);
      won[decided] += 1;
      const isAllowed = decided === 'terminal' ? key === 'yes' : choice === 'allow';
      assert.equal(agent.isMade(), isAllowed, story);
      assert.ok(agent.printed() === '' || accepted, `a decision without a person: ${story}`);
      if (decided === 'hook') assert.ok(agent.printed().includes(`"${choice}"`), story);
      if (!accepted)
        assert.match(
          reason ?? '',
          /^(?:Answered|Denied) in the terminal|^The agent no longer waits|^Its hook ended/,
          story,
        );
    }

    t.diagnostic(JSON.stringify(won));
    assert.ok(won.terminal > 0 && won.hook > 0);
  },
);

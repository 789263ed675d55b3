import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { claudeWitness } from '../../../src/agents/claude/session-record.ts';
import { traitsOf } from '../../../src/agents/registry.ts';
import { decide } from '../../../src/alerts/decide.ts';
import { confirmedIn, type RecordedSession } from '../../../src/core/agent/witness.ts';
import { unknownPresence } from '../../../src/core/policy.ts';
import type { HistoryEntry } from '../../../src/core/history.ts';
import { readTranscriptTail } from '../../../src/daemon/transcripts/transcript-title.ts';
import type { AgentProcessesHere } from '../../../src/daemon/witness/agent-process.ts';
import { createWitnessWatch } from '../../../src/daemon/witness/witness-watch.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { samplePolicy } from '../../support/decisions.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { sampleRecord, temporaryStore } from '../../support/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const NOW = Date.UTC(2026, 10, 28, 12);
const uid = process.geteuid?.() ?? null;

interface Scene extends AsyncDisposable {
  readonly directory: string;
  /** Writes the record of the session as Claude Code does. */
  says(fields: object, name?: string): Promise<void>;
  /** Writes lines of its transcript, each with the time. */
  writes(...lines: readonly object[]): Promise<void>;
  /** Lets time pass, with looks. */
  passes(ms: number): Promise<void>;
  events(): Promise<readonly HistoryEntry[]>;
  kinds(): Promise<readonly string[]>;
  state(): Promise<string | undefined>;
  /** An event of a hook. */
  hook(fields: Parameters<typeof sampleRecord>[0]): Promise<void>;
  readonly clock: ReturnType<typeof manualClock>;
}

async function scene({
  prove = async ({ pid, sessionId }: RecordedSession) => ({
    claude_pid: String(pid),
    claude_code_session_id: sessionId,
  }),
  atTerminal = async () => null,
  isOn = () => true,
}: Partial<Pick<AgentProcessesHere, 'prove' | 'atTerminal'>> & {
  isOn?: () => boolean;
} = {}): Promise<Scene> {
  const directory = await temporaryDirectory();
  const clock = manualClock(NOW);
  const opened = await temporaryStore({ now: clock.now });
  const { store } = opened;
  const base = join(directory.path, '.claude');
  await mkdir(join(base, 'sessions'), { recursive: true });
  await mkdir(join(base, 'projects/-home-dev-shop'), { recursive: true });
  const transcript = join(base, 'projects/-home-dev-shop/s1.jsonl');
  let ids = 0;
  const decideNow = (memory: Parameters<typeof decide>[0], event: Parameters<typeof decide>[1]) =>
    decide(memory, event, {
      policy: samplePolicy,
      agents: traitsOf,
      now: clock.now(),
      presence: unknownPresence,
      newId: () => `id-${(ids += 1)}`,
    });
  const watch = createWitnessWatch({
    agent: 'claude',
    witness: claudeWitness,
    directory: base,
    movedBy: 'CLAUDE_CONFIG_DIR',
    processes: { prove, atTerminal, valuesOf: async () => [] },
    isOn,
    store,
    readTail: (path, bytes) => readTranscriptTail(path, { uid }, bytes),
    decide: decideNow,
    prepare: (record) => record,
    onCommitted: () => undefined,
    ...clock,
    log: silentLog,
  });
  watch.start();
  return {
    directory: base,
    clock,
    async says(fields, name = '4242.json') {
      const record = {
        pid: 4242,
        sessionId: 's1',
        cwd: '/home/dev/shop',
        procStart: '7',
        version: '2.1.332',
        kind: 'interactive',
        entrypoint: 'cli',
        statusUpdatedAt: clock.now(),
        ...fields,
      };
      const path = join(base, 'sessions', name);
      await writeFile(`${path}.new`, JSON.stringify(record));
      await rename(`${path}.new`, path);
    },
    async writes(...lines) {
      const timestamp = new Date(clock.now()).toISOString();
      const text = lines.map((line) => `${JSON.stringify({ timestamp, ...line })}\n`).join('');
      await writeFile(transcript, text, { flag: 'a' });
    },
    async passes(ms) {
      for (let left = ms; left > 0; left -= 100) {
        await clock.advance(Math.min(100, left));
        await watch.beat();
      }
    },
    events: () => store.history.list({ limit: 100 }),
    kinds: async () =>
      (await store.history.list({ limit: 100 })).toReversed().map(({ event }) => event.kind),
    state: async () => (await store.sessions.named('s1', 1))[0]?.state,
    async hook(fields) {
      const at = clock.now();
      const event = {
        agent: 'claude',
        sessionId: 's1',
        sessionKey: 'claude:s1',
        at,
        receivedAt: at,
        facts: { ppid: '4242' },
        ...fields,
      } as const;
      await store.events.accept([sampleRecord(event)], decideNow);
    },
    async [Symbol.asyncDispose]() {
      watch.stop();
      await opened[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

const prompt = { type: 'user', message: { content: 'Fix the cart' } };
const ran = (name: string, input: object) => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id: 't1', name, input }] },
});
const said = (text: string) => ({
  type: 'assistant',
  message: { content: [{ type: 'text', text }] },
});
/** One of the calls of one message. */
const large = (name: string) => ({
  type: 'assistant',
  message: {
    id: 'm1',
    content: [{ type: 'tool_use', id: name, name, input: { content: 'x'.repeat(40_000) } }],
  },
});
const waiting = { status: 'waiting', waitingFor: 'permission prompt' };

describe('createWitnessWatch()', () => {
  test('a permission without a hook notifies, with the command from the transcript, and its answer ends the wait', async () => {
    await using shop = await scene();
    await shop.says({ status: 'busy' });
    await shop.writes(prompt, ran('Bash', { command: 'npm publish' }));
    await shop.says(waiting);
    await shop.passes(1_000);

    const [asked] = await shop.events();
    assert.equal(asked?.event.kind, 'needs.permission');
    assert.equal(asked?.event.asked?.text, 'npm publish');
    assert.equal(asked?.event.cwd, '/home/dev/shop');
    assert.ok(asked?.deliveries.some(({ channel }) => channel === 'desktop'));
    assert.match(
      asked?.decisions[0]?.reason ?? '',
      /seen in the record of its session: no hook ran/,
    );

    await shop.says({ status: 'busy' });
    await shop.passes(500);
    assert.equal(await shop.state(), 'working');
    await shop.passes(10_000);
    assert.deepEqual(await shop.kinds(), ['needs.permission', 'tool.done']);
  });

  test('a hook that ran is not repeated, and its request counts as answered once the record says so', async () => {
    await using shop = await scene();
    await shop.hook({ kind: 'prompt', event: 'UserPromptSubmit' });
    await shop.says({ status: 'busy' });
    await shop.passes(3_000);
    await shop.hook({ kind: 'needs.permission', event: 'PermissionRequest', subject: 'call' });
    await shop.says(waiting);
    await shop.passes(30_000);
    assert.deepEqual(await shop.kinds(), ['prompt', 'needs.permission']);
    const asked = (await shop.events())[0];
    assert.ok(confirmedIn(JSON.stringify(asked?.decisions)), 'Both witnesses are on record');

    await shop.says({ status: 'busy' });
    await shop.passes(400);
    assert.equal(await shop.state(), 'working');
    const facts = (await shop.events())[0]?.event.facts;
    assert.equal(facts?.ppid, '4242', 'The session still counts as one with hooks');
  });

  test('Esc ends the working state of a session with hooks', async () => {
    await using shop = await scene();
    await shop.hook({ kind: 'prompt', event: 'UserPromptSubmit' });
    await shop.says({ status: 'busy' });
    await shop.writes(prompt);
    await shop.passes(5_000);
    await shop.says({ status: 'idle' });
    await shop.passes(4_200);

    assert.deepEqual(await shop.kinds(), ['prompt', 'turn.interrupted']);
    assert.equal(await shop.state(), 'done');
  });

  for (const [name, lines, kind, message] of [
    ['is done', [said('The cart is fixed')], 'turn.done', 'The cart is fixed'],
    [
      'has failed',
      [{ ...said('API Error: 500'), isApiErrorMessage: true }],
      'turn.failed',
      'API Error: 500',
    ],
    [
      'was interrupted',
      [
        said('I look'),
        {
          type: 'user',
          message: { content: [{ type: 'text', text: '[Request interrupted by user]' }] },
        },
      ],
      'turn.interrupted',
      null,
    ],
  ] as const)
    test(`the transcript shows whether a turn without a hook ${name}`, async () => {
      await using shop = await scene();
      await shop.says({ status: 'busy' });
      await shop.passes(40_000);
      await shop.writes(prompt, ...lines);
      await shop.says({ status: 'idle' });
      await shop.passes(2_000);

      const [end] = await shop.events();
      assert.deepEqual([end?.event.kind, end?.event.message], [kind, message]);
      assert.equal((await shop.kinds()).length, 2);
    });

  test('the end of the turn before is not taken for that of this one', async () => {
    await using shop = await scene();
    await shop.writes(prompt, said('The cart is fixed'), {
      type: 'system',
      subtype: 'turn_duration',
    });
    await shop.says({ status: 'busy' });
    await shop.passes(60_000);
    await shop.says({ status: 'idle' });
    await shop.passes(5_000);

    assert.deepEqual(await shop.kinds(), ['prompt', 'turn.interrupted']);
  });

  test('what it waits for is said plainly where the transcript does not show it, and an unknown word notifies', async () => {
    const texts: (string | null | undefined)[] = [];
    for (const [waitingFor, surface] of [
      ['permission prompt', 'claude-vscode'],
      ['sandbox request', 'cli'],
      ['moon phase', 'cli'],
    ]) {
      await using shop = await scene();
      await shop.says({ status: 'waiting', waitingFor, entrypoint: surface });
      await shop.passes(1_500);
      const [asked] = await shop.events();
      assert.ok(
        asked?.deliveries.some(({ channel }) => channel === 'desktop'),
        waitingFor,
      );
      texts.push(asked?.event.message);
    }
    assert.deepEqual(texts, [
      'A permission dialog is open in VS Code',
      'A command in the sandbox wants to use the network',
      'It waits: moon phase',
    ]);
  });

  test('two large calls of one message are both seen, although the short end of the transcript holds one', async () => {
    await using shop = await scene();
    await shop.writes(prompt, large('Write'), large('Edit'));
    await shop.says(waiting);
    await shop.passes(1_500);

    const [asked] = await shop.events();
    assert.equal(asked?.event.message, 'One of several calls needs a permission: Write, Edit');
  });

  test('a dialog that the person opens is theirs for twenty seconds', async () => {
    await using shop = await scene();
    await shop.says({ status: 'idle' });
    await shop.passes(3_000);
    await shop.says({ status: 'waiting', waitingFor: 'dialog open' });
    await shop.passes(19_000);
    assert.deepEqual(await shop.kinds(), ['session.start']);
    await shop.passes(2_000);
    assert.deepEqual(await shop.kinds(), ['session.start', 'needs.input']);
  });

  test('a process that asks something before its session has begun notifies after twenty seconds, until it begins', async () => {
    let ageMs = 60_000;
    const atTerminal = async () => ({ start: '7', ageMs, cwd: '/home/dev/shop' });
    await using shop = await scene({ atTerminal });
    const key = join(shop.directory, `sessions/4242.${'0'.repeat(64)}.key`);
    await writeFile(key, 'secret');
    await utimes(key, NOW / 1_000, NOW / 1_000);
    await shop.passes(19_000);
    assert.deepEqual(await shop.kinds(), []);
    await shop.passes(2_000);
    const [asked] = await shop.events();
    assert.deepEqual([asked?.event.kind, asked?.event.project], ['needs.input', 'shop']);
    assert.match(asked?.event.message ?? '', /before the session begins/);

    await shop.says({ status: 'idle' });
    await shop.passes(3_000);
    assert.deepEqual(await shop.kinds(), ['needs.input', 'session.end', 'session.start']);

    await rm(join(shop.directory, 'sessions/4242.json'));
    ageMs = 100;
    await shop.passes(30_000);
    assert.ok(
      !(await shop.kinds()).slice(3).includes('needs.input'),
      'The file of another process',
    );
  });

  test('a session whose record is gone has ended', async () => {
    await using shop = await scene();
    await shop.says({ status: 'busy' });
    await shop.passes(3_000);
    await rm(join(shop.directory, 'sessions/4242.json'));
    await shop.passes(500);

    assert.deepEqual(await shop.kinds(), ['prompt', 'session.end']);
  });

  test('nothing is raised of a record that is not proved, not whole, too large, a link or no session', async () => {
    await using unproved = await scene({ prove: async () => null });
    await unproved.says(waiting);
    await unproved.passes(2_000);
    assert.deepEqual(await unproved.kinds(), []);

    await using shop = await scene();
    const records = join(shop.directory, 'sessions');
    await shop.says(waiting, 'notes.json');
    await shop.says({ ...waiting, pid: 7 }, '4243.json');
    await shop.says({ ...waiting, kind: 'daemon' }, '4244.json');
    await shop.says({ ...waiting, spare: true }, '4245.json');
    await shop.says({ ...waiting, cwd: 'x'.repeat(300_000) }, '4246.json');
    await writeFile(join(records, '4247.json'), '{"sessionId":"s1","status":"wai');
    await shop.says({ ...waiting, pid: 4248 }, '../4248.json');
    await symlink('../4248.json', join(records, '4248.json'));
    await shop.passes(2_000);
    assert.deepEqual(await shop.kinds(), []);
  });

  test('a repeated look, a new start and a clock that is set raise nothing twice', async () => {
    await using shop = await scene();
    await shop.says(waiting);
    await shop.passes(3_000);
    shop.clock.jump(-3_600_000);
    await shop.passes(3_000);
    shop.clock.jump(7_200_000);
    await shop.passes(3_000);

    assert.deepEqual(await shop.kinds(), ['needs.permission']);
  });

  test('`witness: off` reads nothing', async () => {
    let isOn = false;
    await using shop = await scene({ isOn: () => isOn });
    await shop.says(waiting);
    await shop.passes(3_000);
    assert.deepEqual(await shop.kinds(), []);
    isOn = true;
    await shop.passes(2_000);
    assert.deepEqual(await shop.kinds(), ['needs.permission']);
  });
});

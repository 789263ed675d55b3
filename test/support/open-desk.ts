import { execFileSync } from 'node:child_process';
import { closeSync, createReadStream, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';

import { requestHash } from '../../src/agents/support/request.ts';
import { track } from '../../src/alerts/track.ts';
import type { HookRecord } from '../../src/core/hook-event.ts';
import type { OfferedAnswer, Question } from '../../src/core/question.ts';
import { createQuestionDesk } from '../../src/reply/question-desk.ts';
import { sampleEvent } from './sample.ts';
import { sampleAlert, sampleEffects, temporaryStore } from './store.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} };
const asked = { command: 'touch x' };
/** Of the request that `ask` makes by itself. */
export const askedHash = requestHash('Bash', asked, undefined);
/** Where the agent records the state of the session. */
const RECORD = '/home/dev/.claude/sessions/77.json';

/** A desk over a real store and real FIFOs; a hook's process and presence are the test's. */
export async function openDesk() {
  const directory = await temporaryDirectory();
  const opened = await temporaryStore();
  const asks = join(directory.path, 'asks');
  mkdirSync(asks, { mode: 0o700 });
  const world = {
    here: null as boolean | null,
    gone: new Set<number>(),
    record: null as string | null,
    now: 1_700_000_000_000,
  };
  let count = 0;
  const desk = createQuestionDesk({
    store: opened.store,
    paths: { asks },
    uid: process.geteuid?.() ?? null,
    presence: { isPresent: () => Promise.resolve(world.here) },
    readTail: (path) => Promise.resolve(path === RECORD ? world.record : null),
    policy: () => ({ expireAfterMs: 3_600_000, programChannels: [] }),
    holds: () => ({
      agents: { claude: 'open', opencode: 'open', codex: 'away', qwen: 'away' },
      subagents: { claude: 'away' },
    }),
    isRunning: (pid) => !world.gone.has(pid),
    now: () => world.now,
    log: quiet,
    onAnswered: () => {},
  });

  /** A hook that waits, and everything that it reads until its end. */
  async function ask(
    fields: Partial<HookRecord['event']> = {},
    payload?: object,
    hasAlert = false,
  ) {
    count += 1;
    const fifo = `00000000-0000-0000-0000-${String(count).padStart(12, '0')}`;
    execFileSync('mkfifo', ['-m', '600', join(asks, fifo)]);
    // As the hook does: open for both, then for reading, then only that.
    const both = openSync(join(asks, fifo), 'r+');
    const read = readAll(createReadStream('', { fd: openSync(join(asks, fifo), 'r') }));
    const record: HookRecord = {
      event: sampleEvent({
        kind: 'needs.permission',
        event: 'PermissionRequest',
        subject: 'the subject',
        call: { agentId: null, tool: 'Bash', hash: 'call' },
        waits: { fifo, pid: 1000 + count, start: '1', requestHash: askedHash },
        facts: { claude_pid: '77' },
        ...fields,
      }),
      payload: Buffer.from(JSON.stringify(payload ?? { tool_name: 'Bash', tool_input: asked })),
    };
    await opened.store.events.accept([record], () =>
      sampleEffects(
        hasAlert
          ? { session: track(null, record.event).session, alerts: [sampleAlert(record.event)] }
          : {},
      ),
    );
    desk.take([record]);
    closeSync(both);
    return { id: record.event.id, pid: 1000 + count, fifo, read, record };
  }

  return {
    desk,
    ask,
    world,
    asks,
    store: opened.store,
    async stored(id: string): Promise<Question | undefined> {
      return (await opened.store.questions.latest(100)).find((one) => one.id === id);
    },
    async [Symbol.asyncDispose]() {
      await desk.stop();
      await opened[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** An answer to it. */
export function answer(fields: Partial<OfferedAnswer> = {}): OfferedAnswer {
  return {
    choice: 'allow',
    by: 'ada',
    via: 'command line',
    requestHash: askedHash,
    words: null,
    answers: {},
    ...fields,
  };
}

import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { claudeWitness } from '../src/agents/claude/session-record.ts';
import { readTranscriptTail } from '../src/daemon/transcripts/transcript-title.ts';
import { readDetails } from '../src/daemon/witness/record-reader.ts';
import { busEnvironment, createDesktop } from '../test/channels/desktop/bus-stage.ts';
import { send } from '../test/channels/conformance.ts';
import { startNotificationServer } from '../test/support/notification-server.ts';
import { sampleNotification } from '../test/support/sample.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import type { Benchmark } from './support/benchmark.ts';
import { interleave } from './support/interleave.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { median } from './support/statistics.ts';

const TRANSCRIPT_BYTES = 50_000_000;
const ROUNDS = 200;

/** What an agent's own record of its session costs to read, and what it costs to ask whether a pop-up would be seen. */
export const witness: Benchmark = {
  name: 'witness',
  async run() {
    const starts = Array.from({ length: 20 }, () => nodeStartMs());
    const slowness = slownessOf(starts);
    return [
      {
        name: 'second witness, a change of a session with 50 MB of transcript',
        value: await changeMs(),
        unit: 'ms',
        bound: 1,
        better: 'lower',
        slowness,
        note: `processor time, mean of ${ROUNDS}`,
      },
      {
        name: 'desktop, asking for "do not disturb" before a pop-up',
        value: await askingMs(),
        unit: 'ms',
        bound: 5,
        better: 'lower',
        slowness,
        note: `beyond one that does not ask, p50 of ${ROUNDS}`,
      },
    ];
  },
};

/** The record and the end of the transcript, read as after each change that may notify. */
async function changeMs(): Promise<number> {
  await using directory = await temporaryDirectory();
  const [path, record] = ['s1.jsonl', 'sessions/42.json'].map((name) => join(directory.path, name));
  await mkdir(join(directory.path, 'sessions'));
  const at = Date.now();
  const timestamp = new Date(at).toISOString();
  let id = 0;
  const entry = (type: string, content: unknown): string =>
    `${JSON.stringify({ type, timestamp, message: { id: `msg_${(id += 1)}`, content } })}\n`;
  const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'npm run build' } };
  const result = { type: 'tool_result', tool_use_id: 't', content: 'built '.repeat(400) };
  const work = entry('assistant', [call]) + entry('user', [result]);
  await using file = await open(path ?? '', 'w', 0o600);
  const turns = entry('user', 'Fix the cart') + work.repeat(40);
  const bytes = turns.repeat(Math.ceil(TRANSCRIPT_BYTES / turns.length));
  await file.write(bytes);
  const says = { pid: 42, sessionId: 's1', status: 'waiting', waitingFor: 'permission prompt' };
  let spent = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    await file.write(work + entry('assistant', [{ ...call, id: `t${round}` }]));
    await writeFile(record ?? '', JSON.stringify({ ...says, statusUpdatedAt: at + round }));
    const before = process.cpuUsage();
    const uid = process.getuid?.() ?? null;
    const read = claudeWitness.read(
      '42.json',
      (await readTranscriptTail(record ?? '', { uid })) ?? '',
    );
    if (read === null) throw new Error('It cannot be read');
    const found = await readDetails(claudeWitness, read, (size) =>
      readTranscriptTail(path ?? '', { uid }, size),
    );
    const { user, system } = process.cpuUsage(before);
    if (found?.details == null) throw new Error('The call is not found');
    spent += (user + system) / 1_000;
  }
  return spent / ROUNDS;
}

async function askingMs(): Promise<number> {
  await using server = await startNotificationServer();
  const news = sampleNotification({ kind: 'turn.done', severity: 'info', groupKey: 'claude:s1' });
  const channels = await Promise.all(
    ['next_step', 'show'].map((mode) =>
      createDesktop({ backend: 'dbus', when_disturbed: mode }, { env: busEnvironment(server) }),
    ),
  );
  const times = await interleave(
    channels.map((channel) => async () => {
      const startedAt = performance.now();
      await send({ channel }, news);
      return performance.now() - startedAt;
    }),
    { rounds: ROUNDS },
  );
  await Promise.all(channels.map((channel) => channel.close()));
  const [asking = 0, silent = 0] = times.map((some) => median(some));
  return asking - silent;
}

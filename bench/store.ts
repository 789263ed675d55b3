import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { traitsOf } from '../src/agents/registry.ts';
import { decide } from '../src/alerts/decide.ts';
import { timeOrderedId } from '../src/platform/crypto.ts';
import type { HookRecord, Kind } from '../src/core/hook-event.ts';
import { unknownPresence } from '../src/core/policy.ts';
import type { Decide, Store } from '../src/core/store.ts';
import { openStore } from '../src/store/open-store.ts';
import { samplePolicy } from '../test/support/decisions.ts';
import { sampleRecord } from '../test/support/store.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';

const BACKLOG = 20_000;
const BATCH = 256;
const SESSIONS = 60;
const PAYLOAD = JSON.stringify({ tool_input: { command: 'x'.repeat(600) } });

/** What the sessions do, over and over. */
const course: readonly Kind[] = [
  'prompt',
  'tool.done',
  'tool.done',
  'tool.done',
  'needs.permission',
  'tool.done',
  'tool.done',
  'turn.done',
];

/** How fast the store takes events in, with the real decisions. */
export const store: Benchmark = {
  name: 'store',
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'hookbell-bench-'));
    const { store: fresh } = await openStore({ path: join(directory, 'fresh.db'), now: Date.now });
    try {
      const rate = await fill(fresh, BACKLOG);
      return [
        {
          name: 'store, events committed',
          value: rate,
          unit: '/s',
          bound: 3_000,
          better: 'higher',
          slowness: slownessOf(Array.from({ length: 20 }, () => nodeStartMs())),
          note: `a backlog of ${BACKLOG.toLocaleString('en-US')}, ${BATCH} a commit`,
        },
      ];
    } finally {
      await fresh.close();
      rmSync(directory, { recursive: true });
    }
  },
};

/** Returns the committed events per second. */
async function fill(target: Store, count: number): Promise<number> {
  let spentMs = 0;
  for (let first = 0; first < count; first += BATCH) {
    const length = Math.min(BATCH, count - first);
    const records = Array.from({ length }, (_, index) => recordOf(first + index));
    const startedAt = performance.now();
    await target.events.accept(records, decideAsTheDaemon);
    spentMs += performance.now() - startedAt;
  }
  return count / (spentMs / 1000);
}

function recordOf(number: number): HookRecord {
  const round = Math.floor(number / SESSIONS);
  return sampleRecord(
    {
      id: newId(),
      sessionId: `s${number % SESSIONS}`,
      kind: course[round % course.length] ?? 'activity',
      subject: `Bash: ${number}`,
      duplicate: { key: newId(), windowMs: null },
    },
    PAYLOAD,
  );
}

const decideAsTheDaemon: Decide = (memory, event) =>
  decide(memory, event, {
    agents: traitsOf,
    policy: samplePolicy,
    now: event.receivedAt,
    presence: unknownPresence,
    newId,
  });

/** Random from its first character on, like the names of envelopes: the worst order for an index. */
function newId(): string {
  const random = randomBytes(16);
  return timeOrderedId(random.readUIntBE(0, 6), random.subarray(6));
}

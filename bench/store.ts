import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { decide } from '../src/alerts/decide.ts';
import { timeOrderedId } from '../src/core/ids.ts';
import type { HookRecord, Kind } from '../src/core/hook-event.ts';
import { unknownPresence } from '../src/core/presence.ts';
import type { Decide, Store } from '../src/core/store.ts';
import { openStore } from '../src/store/open-store.ts';
import { samplePolicy } from '../test/support/decisions.ts';
import { sampleRecord } from '../test/support/store.ts';
import type { Benchmark, Figure } from './support/benchmark.ts';
import { ratio } from './support/ratio.ts';

const SMALL = 1_000;
const LARGE = 1_000_000;
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

/** The store with the real decisions: how fast it takes events in, and whether a long history makes it slower. */
export const store: Benchmark = {
  name: 'store',
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'hookbell-bench-'));
    const open = async (name: string): Promise<Store> =>
      (await openStore({ path: join(directory, name), now: Date.now })).store;
    const small = await open('small.db');
    const large = await open('large.db');
    const fresh = await open('fresh.db');
    try {
      const rate = await fill(fresh, BACKLOG);
      await fill(small, SMALL);
      await fill(large, LARGE);
      return [rateFigure(rate), ...(await readingFigures(small, large))];
    } finally {
      for (const opened of [small, large, fresh]) await opened.close();
      rmSync(directory, { recursive: true });
    }
  },
};

/** Answers how many events a second were committed. */
async function fill(target: Store, count: number): Promise<number> {
  let spentMs = 0;
  for (let first = 0; first < count; first += BATCH) {
    const length = Math.min(BATCH, count - first);
    const records = Array.from({ length }, (_, index) => recordOf(first + index));
    const startedAt = performance.now();
    await target.accept(records, decideAsTheDaemon);
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

function rateFigure(rate: number): Figure {
  return {
    name: 'store, events committed',
    value: rate,
    unit: '/s',
    bound: 4000,
    better: 'higher',
    note: `a backlog of ${BACKLOG.toLocaleString('en-US')}, ${BATCH} a commit`,
  };
}

const readings: readonly { readonly name: string; readonly read: (store: Store) => unknown }[] = [
  { name: 'status', read: (target) => target.counts() },
  { name: 'sessions', read: (target) => target.sessions({ limit: 50 }) },
  { name: 'history', read: (target) => target.history({ limit: 50 }) },
  {
    name: 'history of a session',
    // A whole course, so that both have the same kinds of events to show.
    read: (target) => target.history({ limit: course.length, sessionKeys: ['claude:s7'] }),
  },
  {
    name: 'history of what was not told',
    read: (target) => target.history({ limit: 50, suppressed: true }),
  },
];

async function readingFigures(small: Store, large: Store): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, read } of readings) {
    const figure = await ratio({
      name: `store, ${name} with ${LARGE.toLocaleString('en-US')} events`,
      bound: 2,
      than: `with ${SMALL.toLocaleString('en-US')}`,
      rounds: 40,
      ours: () => timeOf(() => read(large)),
      theirs: () => timeOf(() => read(small)),
    });
    figures.push(figure);
  }
  return figures;
}

/** Of one call, in ms, from many in a row: some take microseconds. */
async function timeOf(work: () => unknown): Promise<number> {
  const calls = 50;
  const startedAt = performance.now();
  for (let call = 0; call < calls; call += 1) await work();
  return (performance.now() - startedAt) / calls;
}

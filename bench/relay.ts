import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { traitsOf } from '../src/agents/registry.ts';
import { decide } from '../src/alerts/decide.ts';
import { timeOrderedId } from '../src/platform/crypto.ts';
import type { HookRecord } from '../src/core/hook-event.ts';
import { silentLog } from '../src/platform/log.ts';
import { unknownPresence } from '../src/core/policy.ts';
import type { Decide, Store } from '../src/core/store.ts';
import { createBodyRoom } from '../src/relay/body-room.ts';
import { createLink } from '../src/relay/link.ts';
import { pairedEntrance } from '../src/relay/event-routes.ts';
import { createRelayServer } from '../src/relay/relay-server.ts';
import { takeBatch } from '../src/relay/take-batch.ts';
import { makeToken, readToken } from '../src/relay/token.ts';
import { BATCH_EVENTS } from '../src/relay/wire.ts';
import { openStore } from '../src/store/open-store.ts';
import { samplePolicy } from '../test/support/decisions.ts';
import { sampleRecord } from '../test/support/store.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { median } from './support/statistics.ts';
import { createOutbound } from '../src/platform/outbound/outbound.ts';

/** Batches that a paired machine may hand on in a row before it is throttled. */
const BATCHES = 40;
const PAYLOAD = JSON.stringify({
  hook_event_name: 'PostToolUse',
  session_id: 's1',
  tool_name: 'Bash',
  tool_input: { command: 'x'.repeat(600) },
});

/** How fast a backlog is handed on to another machine, beside how fast that one takes the same in by itself. */
export const relay: Benchmark = {
  name: 'relay',
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'hookbell-bench-'));
    const open = (name: string): Promise<{ readonly store: Store }> =>
      openStore({ path: join(directory, name), now: Date.now });
    const [{ store: alone }, { store: there }] = await Promise.all([open('a.db'), open('b.db')]);
    const handOver = await pairWith(there, join(directory, 's'));
    try {
      const handedMs: number[] = [];
      const takenMs: number[] = [];
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const records = Array.from({ length: BATCH_EVENTS }, () => recordOf());
        takenMs.push(await timed(() => alone.events.accept(records, decideAsTheDaemon)));
        handedMs.push(await timed(() => handOver.send(records)));
      }
      const batchMs = median(handedMs);
      return [
        {
          name: 'relay, events handed on',
          value: BATCH_EVENTS / (batchMs / 1_000),
          unit: '/s',
          bound: 1_200,
          better: 'higher',
          slowness: slownessOf(Array.from({ length: 20 }, () => nodeStartMs())),
          note: `${BATCHES} batches of ${BATCH_EVENTS}, until the answer that they are on disk`,
        },
        {
          name: 'relay, beside taking the same in without it',
          value: batchMs / median(takenMs),
          unit: '×',
          bound: 2.5,
          better: 'lower',
          note: `${batchMs.toFixed(1)} ms a batch`,
        },
      ];
    } finally {
      await handOver.close();
      await Promise.all([alone.close(), there.close()]);
      rmSync(directory, { recursive: true });
    }
  },
};

interface HandOver {
  /** Resolves when the other side has them on disk. */
  send(records: readonly HookRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** A link to a machine that takes what comes into this store. */
async function pairWith(store: Store, path: string): Promise<HandOver> {
  const token = readToken(makeToken('devbox', randomBytes(32)));
  if (token === null) throw new Error('A new token cannot be read');
  const options = {
    store,
    decide: decideAsTheDaemon,
    prepare: (record: HookRecord) => record,
    now: Date.now,
    log: silentLog,
    onCommitted: () => {},
  };
  const server = createRelayServer(
    {
      entrance: pairedEntrance({
        machines: () =>
          Promise.resolve([{ name: 'devbox', key: token.key, scope: 'events', pairedAt: 0 }]),
        take: (machine, events) => takeBatch(machine, events, options),
        now: Date.now,
        log: silentLog,
      }),
      bodies: createBodyRoom(),
      onContact: () => {},
      now: Date.now,
      log: silentLog,
    },
    { tls: null, isHub: false },
  );
  server.listen(path);
  await once(server, 'listening');
  const address = { type: 'socket', path } as const;
  const outbound = createOutbound({ env: {} });
  const settings = { certificate: null, outbound, timeoutMs: 30_000 };
  const link = createLink({ ...settings, address, token, now: Date.now });
  const never = new AbortController().signal;
  return {
    async send(records) {
      const sent = await link.send(records, never);
      const all =
        sent.type === 'ok' && sent.results.every(({ verdict }) => verdict === 'committed');
      if (!all) throw new Error(`The batch was not taken: ${sent.type}`);
    },
    async close() {
      link.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function recordOf(): HookRecord {
  const id = newId();
  const fields = { id, sessionId: 's1', kind: 'tool.done', event: 'PostToolUse' } as const;
  return sampleRecord({ ...fields, duplicate: { key: id, windowMs: null } }, PAYLOAD);
}

const decideAsTheDaemon: Decide = (memory, event) =>
  decide(memory, event, {
    agents: traitsOf,
    policy: samplePolicy,
    now: event.receivedAt,
    presence: unknownPresence,
    newId,
  });

function newId(): string {
  return timeOrderedId(Date.now(), randomBytes(10));
}

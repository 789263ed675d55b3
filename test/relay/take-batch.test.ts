import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { decodePayload } from '../../src/agents/decode.ts';
import { StoreError } from '../../src/core/store-aging.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { isJsonObject } from '../../src/platform/json.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { Decide } from '../../src/core/store.ts';
import { takeBatch, type TakeOptions } from '../../src/relay/take-batch.ts';
import { batchOf } from '../../src/relay/wire.ts';
import {
  decideNothing,
  NOW,
  sampleRecord,
  temporaryStore,
  type TestStore,
} from '../support/store.ts';

interface Sent {
  readonly id: string;
  readonly at: number;
  readonly facts: Readonly<Record<string, string>>;
  readonly payload: string;
}

function sent(id: string, payload: object | string, fields: Partial<Sent> = {}): Sent {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const bytes = Buffer.from(text).toString('base64');
  return { id: id.padStart(16, '0'), at: NOW - 1_000, facts: {}, payload: bytes, ...fields };
}

function options({ store }: Pick<TestStore, 'store'>, decide: Decide = decideNothing): TakeOptions {
  return {
    store,
    decide,
    prepare: (record) => record,
    now: () => NOW,
    log: silentLog,
    onCommitted: () => {},
  };
}

const stop = { hook_event_name: 'Stop', session_id: 's1', cwd: '/home/dev/shop' };

const droid = { agent: 'droid' };
const DROID_ASKS = 'Factory CLI needs permission to execute 1 tool(s)';

function hasId(event: unknown): event is { readonly id: string } {
  return isJsonObject(event) && typeof event['id'] === 'string';
}

/** What the sender makes of an event that its transcript completed. */
function relayed(payload: object, added: Partial<HookEvent>, id: string): unknown {
  const bytes = Buffer.from(JSON.stringify(payload));
  const decoded = decodePayload({ payload: bytes, facts: droid });
  assert.ok(decoded.ok);
  const { event } = sampleRecord({ ...decoded.event, ...added, id: id.padStart(16, '0') });
  return JSON.parse(batchOf([{ event, payload: bytes }])).events[0];
}

const poison: Decide = (memory, event) => {
  if (event.id.endsWith('c')) throw new Error('A bug');
  return decideNothing(memory, event);
};

describe('takeBatch()', () => {
  test('commits an event under its id, with its own time, the time it came, and the name of the machine', async () => {
    await using opened = await temporaryStore();

    const verdicts = await takeBatch('devbox', [sent('a', stop)], options(opened));

    const id = 'a'.padStart(16, '0');
    assert.deepEqual(verdicts, [{ id, verdict: 'committed' }]);
    const found = await opened.store.history.event(id);
    assert.equal(found?.event.machine, 'devbox');
    assert.equal(found.event.at, NOW - 1_000);
    assert.equal(found.event.receivedAt, NOW);
    assert.equal(Buffer.from(found.payload).toString(), JSON.stringify(stop));
  });

  test('takes the title that was read from the transcript there, unless the payload has one', async () => {
    await using opened = await temporaryStore();
    const own = { ...stop, session_title: 'Of the payload' };
    const events = [
      { ...sent('a', { ...stop, session_id: 'a' }), title: 'Fix the cart' },
      { ...sent('b', { ...own, session_id: 'b' }), title: 'Fix the cart' },
      { ...sent('c', { ...stop, session_id: 'c' }), title: 'x'.repeat(600) },
    ];

    await takeBatch('devbox', events, options(opened));

    const titles = await Promise.all(
      events.map(async ({ id }) => (await opened.store.history.event(id))?.event.title),
    );
    assert.deepEqual(titles, ['Fix the cart', 'Of the payload', null]);
  });

  test('notes whether that machine holds the request, which no hook can say', async () => {
    await using opened = await temporaryStore();
    const events = [
      { ...sent('a', stop), held: true },
      { ...sent('b', { ...stop, session_id: 'b' }), held: 'yes' },
      sent('c', { ...stop, session_id: 'c' }, { facts: { held: 'yes' } }),
    ];

    await takeBatch('devbox', events, options(opened));

    const held = await Promise.all(
      events.map(async ({ id }) => (await opened.store.history.event(id))?.event.facts.held),
    );
    assert.deepEqual(held, ['yes', undefined, undefined]);
  });

  test('takes the time it came for the time of an event whose clock is ahead', async () => {
    await using opened = await temporaryStore();

    await takeBatch('devbox', [sent('a', stop, { at: NOW + 60_000 })], options(opened));

    assert.equal((await opened.store.history.event('last'))?.event.at, NOW);
  });

  test('keeps its sessions, and what it may say twice, apart from those of this machine and of others', async () => {
    await using opened = await temporaryStore();
    const here = sampleRecord({ sessionKey: 'claude:s1' });
    await opened.store.events.accept([here], decideNothing);
    const facts = { agent: 'claude' };

    await takeBatch('a', [sent('1', stop, { facts })], options(opened));
    await takeBatch('b', [sent('2', stop, { facts })], options(opened));

    const keys = (await opened.store.history.list({ limit: 9 })).map(
      ({ event }) => event.sessionKey,
    );
    assert.deepEqual(keys, ['b/claude:s1', 'a/claude:s1', 'claude:s1']);
    const seen: (string | null)[] = [];
    await takeBatch(
      'b',
      [sent('3', stop, { facts })],
      options(opened, (memory) => {
        seen.push(memory.duplicateOf);
        return decideNothing(memory, here.event);
      }),
    );
    assert.deepEqual(seen, ['2'.padStart(16, '0')]);
  });

  test('takes nothing in that names a process, a terminal, a window or a file of this machine', async () => {
    await using opened = await temporaryStore();
    const facts = {
      agent: 'claude',
      pid: String(process.pid),
      ppid: String(process.pid),
      claude_pid: String(process.pid),
      tty: '/dev/pts/0',
      tmux: '/tmp/tmux-0/default,1,0',
      tmux_pane: '%1',
      windowid: '12',
      kitty_window_id: '1',
      term_program: 'tmux',
    };
    const payload = { ...stop, transcript_path: '/home/dev/.claude/projects/x/s1.jsonl' };

    await takeBatch('devbox', [sent('a', payload, { facts })], options(opened));

    const event = (await opened.store.history.event('last'))?.event;
    assert.deepEqual(event?.facts, { agent: 'claude' });
    assert.equal(event.transcriptPath, null);
  });

  test('takes what the transcript over there added: last words, a command, a failure', async () => {
    await using opened = await temporaryStore();
    const asked = { action: 'run' as const, text: 'npm publish', options: [] };
    const permission = {
      ...stop,
      hook_event_name: 'Notification',
      message: DROID_ASKS,
      notification_type: 'permission_prompt',
    };
    const batch = [
      relayed(stop, { message: 'All tests pass' }, '1'),
      relayed(permission, { tool: 'Execute', asked }, '2'),
      relayed(stop, { kind: 'turn.failed', failed: true, message: '429 Too many' }, '3'),
      relayed(stop, { kind: 'turn.interrupted' }, '4'),
      relayed(stop, {}, '5'),
    ];

    await takeBatch('devbox', batch.filter(hasId), options(opened));

    const events = (await opened.store.history.list({ limit: 9 }))
      .map(({ event }) => event)
      .toReversed();
    assert.deepEqual(
      events.map(({ kind, message, tool, asked: wanted }) => [kind, message, tool, wanted?.text]),
      [
        ['turn.done', 'All tests pass', null, undefined],
        ['needs.permission', DROID_ASKS, 'Execute', 'npm publish'],
        ['turn.failed', '429 Too many', null, undefined],
        ['turn.interrupted', null, null, undefined],
        ['turn.done', null, null, undefined],
      ],
    );
  });

  test('lets a paired machine add nothing to an event that says so itself, and takes it without an addition that does not fit', async () => {
    await using opened = await temporaryStore();
    const added = { message: 'Forged', tool: 'Bash', asked: null, failed: true };
    const claude = { ...stop, last_assistant_message: 'Done.' };

    const batch = [
      { ...sent('1', claude, { facts: { agent: 'claude' } }), added },
      { ...sent('2', stop, { facts: droid }), added: { ...added, message: 7 } },
    ];

    const verdicts = await takeBatch('devbox', batch, options(opened));

    assert.deepEqual(
      verdicts.map(({ verdict }) => verdict),
      ['committed', 'committed'],
    );
    const events = (await opened.store.history.list({ limit: 9 }))
      .map(({ event }) => event)
      .toReversed();
    assert.deepEqual(
      events.map(({ kind, message, tool }) => [kind, message, tool]),
      [
        ['turn.done', 'Done.', null],
        ['turn.done', null, null],
      ],
    );
  });

  test('knows what came before', async () => {
    await using opened = await temporaryStore();
    await takeBatch('devbox', [sent('a', stop)], options(opened));

    const again = await takeBatch('devbox', [sent('a', stop), sent('b', stop)], options(opened));

    assert.deepEqual(
      again.map(({ verdict }) => verdict),
      ['known', 'committed'],
    );
    assert.equal((await opened.store.upkeep.counts()).events, 2);
  });

  test('refuses what it cannot read, with the reason, and takes the others', async () => {
    await using opened = await temporaryStore();
    const malformed = { ...sent('m', stop), at: 'yesterday' };

    const verdicts = await takeBatch(
      'devbox',
      [sent('a', ''), sent('b', '[]'), sent('c', '{}'), malformed, sent('d', stop)],
      options(opened),
    );

    assert.deepEqual(
      verdicts.map(({ verdict, reason }) => reason ?? verdict),
      [
        'its payload is empty',
        'its payload is not a JSON object',
        'its payload does not name its event',
        'it is malformed',
        'committed',
      ],
    );
  });

  test('refuses the one event that cannot be committed, and takes the others in their order', async () => {
    await using opened = await temporaryStore();
    const all = ['a', 'b', 'c', 'd', 'e'].map((id) => sent(id, stop));

    const verdicts = await takeBatch('devbox', all, options(opened, poison));

    assert.deepEqual(
      verdicts.map(({ verdict }) => verdict),
      ['committed', 'committed', 'refused', 'committed', 'committed'],
    );
    const order = (await opened.store.history.list({ limit: 9 })).map(({ event }) =>
      event.id.at(-1),
    );
    assert.deepEqual(order.toReversed(), ['a', 'b', 'd', 'e']);
  });

  test('rejects while nothing can be written, so that the batch comes again', async () => {
    await using opened = await temporaryStore();
    const full = new StoreError('full', 'No space left');
    const store = { events: { accept: () => Promise.reject(full) } };

    const taking = takeBatch('devbox', [sent('a', stop)], {
      ...options({ store: opened.store }),
      store,
    });

    await assert.rejects(taking, full);
  });
});

test('takeBatch() lets a machine keep its events that was revoked between admission and commit', async () => {
  const revoked = { events: { accept: () => Promise.resolve(['revoked'] as const) } };
  await using opened = await temporaryStore();

  await assert.rejects(
    takeBatch('desk', [sent('1', stop)], { ...options(opened), store: revoked }),
    (error) => error instanceof StoreError && /"desk" was revoked/.test(error.message),
  );
});

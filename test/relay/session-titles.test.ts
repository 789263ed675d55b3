import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HookEvent, HookRecord } from '../../src/core/hook-event.ts';
import { sessionTitles } from '../../src/relay/session-titles.ts';
import { sampleRecord } from '../support/store.ts';

const PATH = '/home/dev/t.jsonl';

function record(fields: Partial<HookEvent>): HookRecord {
  return sampleRecord({ kind: 'turn.done', transcriptPath: PATH, title: null, ...fields });
}

test('sessionTitles() reads each transcript of a batch once, and only for events that notify and have no title', async () => {
  const read: string[] = [];
  const complete = sessionTitles({
    readTranscriptTitle: async (path) => {
      read.push(path);
      return path === PATH ? 'Fix the cart' : null;
    },
    prepare: (prepared) => prepared,
  });
  const records = [
    record({ id: 'a' }),
    record({ id: 'b', kind: 'needs.permission' }),
    record({ id: 'c', title: 'Named already' }),
    record({ id: 'd', kind: 'activity', transcriptPath: '/home/dev/other.jsonl' }),
    record({ id: 'e', transcriptPath: '/home/dev/untitled.jsonl' }),
    record({ id: 'f', transcriptPath: null }),
  ];

  const whole = await complete(records);

  assert.deepEqual(read, [PATH, '/home/dev/untitled.jsonl']);
  assert.deepEqual(
    whole.map(({ event }) => event.title),
    ['Fix the cart', 'Fix the cart', 'Named already', null, null, null],
  );
});

test('sessionTitles() relays without a title where the file system of the transcript does not respond', async () => {
  const complete = sessionTitles({
    readTranscriptTitle: () => new Promise(() => {}),
    prepare: (prepared) => prepared,
    patienceMs: 1,
  });
  const records = [record({})];

  assert.deepEqual(await complete(records), records);
});

test('sessionTitles() removes secrets where the history must not hold any, and cuts a long title', async () => {
  const complete = sessionTitles({
    readTranscriptTitle: async () => `hunter2 ${'x'.repeat(2_000)}`,
    prepare: ({ event, payload }) => ({
      event: { ...event, title: event.title?.replace('hunter2', '[redacted]') ?? null },
      payload,
    }),
  });

  const [whole] = await complete([record({})]);

  assert.match(whole?.event.title ?? '', /^\[redacted\] x+…$/);
  assert.ok((whole?.event.title?.length ?? 0) < 600);
});

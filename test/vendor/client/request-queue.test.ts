import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QueuedRequest, RequestQueue } from '../../../src/vendor/client/request-queue.ts';
import { createRequestQueue } from '../../../src/vendor/client/request-queue.ts';
import { deferred } from '../../support/deferred.ts';

const SETTINGS = { concurrency: 2, requestsPerSecond: 10, burst: 100 };

/** Jobs that end on request, in order of their start. */
function stage(queue: RequestQueue): {
  started: string[];
  add: (name: string, job?: Partial<QueuedRequest<unknown>>) => { end: () => Promise<void> };
} {
  const started: string[] = [];
  return {
    started,
    add: (name, job = {}) => {
      const { promise, resolve } = deferred();
      const run = queue.run({
        priority: 'foreground',
        access: 'read',
        signal: new AbortController().signal,
        task: () => {
          started.push(name);
          return promise;
        },
        ...job,
      });
      return {
        end: async () => {
          resolve();
          await run;
        },
      };
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = (): Promise<void> => new Promise(() => {});

test('acceptance 218, A35: a limited number of requests run in parallel, the foreground first', async () => {
  const { started, add } = stage(createRequestQueue(SETTINGS, () => 0, never));
  const one = add('one');
  add('two');
  add('poller', { priority: 'background' });
  add('command');
  await turn();
  assert.deepEqual(started, ['one', 'two']);

  await one.end();
  await turn();

  assert.deepEqual(started, ['one', 'two', 'command']);
});

test('writes go one at a time, reads pass them', async () => {
  const { started, add } = stage(createRequestQueue(SETTINGS, () => 0, never));
  const write = add('write', { access: 'write' });
  add('second write', { access: 'write' });
  const read = add('read');
  await turn();
  assert.deepEqual(started, ['write', 'read']);

  await read.end();
  assert.deepEqual(started, ['write', 'read']);
  await write.end();
  await turn();

  assert.deepEqual(started, ['write', 'read', 'second write']);
});

test('acceptance 218: requests beyond the burst wait for their token', async () => {
  let at = 0;
  const waits: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms);
    at += ms;
  };
  const settings = { concurrency: 9, requestsPerSecond: 10, burst: 2 };
  const { started, add } = stage(createRequestQueue(settings, () => at, sleep));

  for (const name of ['a', 'b', 'c', 'd']) add(name);
  await turn();

  assert.deepEqual(started, ['a', 'b', 'c', 'd']);
  assert.deepEqual(waits, [100, 100]);
});

test('a job that is aborted while it waits never starts, and lets the next one pass', async () => {
  const queue = createRequestQueue({ ...SETTINGS, concurrency: 1 }, () => 0, never);
  const { started, add } = stage(queue);
  const first = add('first');
  const controller = new AbortController();
  const reason = new Error('Enough');
  const gone = queue.run({
    priority: 'foreground',
    access: 'read',
    signal: controller.signal,
    task: async () => {
      started.push('gone');
    },
  });
  add('next');

  controller.abort(reason);
  await assert.rejects(gone, (error) => error === reason);
  await first.end();
  await turn();

  assert.deepEqual(started, ['first', 'next']);
});

test('a job that fails gives its place back', async () => {
  const queue = createRequestQueue({ ...SETTINGS, concurrency: 1 }, () => 0, never);
  const { started, add } = stage(queue);
  const failing = queue.run({
    priority: 'foreground',
    access: 'write',
    signal: new AbortController().signal,
    task: () => Promise.reject(new Error('No')),
  });
  add('next', { access: 'write' });

  await assert.rejects(failing, /No/);
  await turn();

  assert.deepEqual(started, ['next']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AuthError, RateLimitError, ServerError } from '../../../src/vendor/client/index.ts';
import { silentLog } from '../../../src/platform/log.ts';
import type { PollOnce } from '../../../src/vendor/pollers/poller.ts';
import { createPoller } from '../../../src/vendor/pollers/poller.ts';
import { manualClock } from '../../support/manual-clock.ts';

const failure = { route: 'sessions.list', method: 'GET', path: '/', attempts: 1 };

/** A poller from every 30 s to every 5 min that is called whenever it asks for it. */
function poller(look: PollOnce, random: () => number = () => 0) {
  const clock = manualClock(0);
  const stopping = new AbortController();
  const looks: number[] = [];
  const troubles: (string | null)[] = [];
  const job = createPoller({
    name: 'sample',
    pollInterval: { everyMs: 30_000, atMostMs: 300_000 },
    look: () => {
      looks.push(clock.now() / 1_000);
      return look();
    },
    now: clock.now,
    random,
    log: silentLog,
    onTrouble: (reason) => troubles.push(reason),
    signal: stopping.signal,
  });
  return {
    clock,
    job,
    looks,
    troubles,
    stop: () => stopping.abort(),
    turns: async (count: number): Promise<void> => {
      for (let turn = 0; turn < count; turn += 1) {
        await job.run();
        clock.jump(Math.max(0, job.nextAt() - clock.now()));
      }
    },
  };
}

test('createPoller() looks less and less often while nothing happens, down to its slowest', async () => {
  const { looks, turns } = poller(() => Promise.resolve('still'));

  await turns(9);

  assert.deepEqual(
    looks,
    [0, 45, 112.5, 213.75, 365.625, 593.4375, 893.4375, 1193.4375, 1493.4375],
  );
});

test('createPoller() looks often again once something moves', async () => {
  const seen = ['still', 'still', 'still', 'moving', 'moving', 'still'] as const;
  let next = 0;
  const { looks, turns } = poller(() => Promise.resolve(seen[next++] ?? 'still'));

  await turns(6);

  assert.deepEqual(looks, [0, 45, 112.5, 213.75, 243.75, 273.75]);
});

test('createPoller() waits a little longer than it has to, as chance wants', async () => {
  const { looks, turns } = poller(
    () => Promise.resolve('moving'),
    () => 0.5,
  );

  await turns(3);

  assert.deepEqual(looks, [0, 31.5, 63]);
});

test('createPoller() does nothing before it is time, and does after the clock was set back', async () => {
  const { job, clock, looks } = poller(() => Promise.resolve('moving'));
  clock.jump(1_000_000);

  await job.run();
  await job.run();
  clock.jump(-900_000);
  await job.run();

  assert.deepEqual(looks, [1_000, 100]);
});

test('createPoller() does not look twice at a time', async () => {
  const { job, looks } = poller(() => Promise.resolve('still'));

  await Promise.all([job.run(), job.run()]);

  assert.equal(looks.length, 1);
});

test('createPoller() looks later and later while the service is out of order, reports it after a while and withdraws the report', async () => {
  let left = 7;
  const { looks, troubles, turns } = poller(() => {
    left -= 1;
    return left < 0
      ? Promise.resolve('moving')
      : Promise.reject(
          new ServerError('It broke', { ...failure, status: 503, retryAfterMs: null }),
        );
  });

  await turns(6);
  const told = [...troubles];
  await turns(3);

  assert.deepEqual(looks, [0, 30, 90, 210, 450, 930, 1_830, 2_730, 2_760]);
  assert.deepEqual(told, ['Cannot GET "/": It broke']);
  assert.deepEqual(troubles.slice(-2), [null, null]);
});

for (const { name, error } of [
  {
    name: 'a 429 (acceptance 218)',
    error: new RateLimitError('Too many', { ...failure, status: 429, retryAfterMs: 4_000_000 }),
  },
  {
    name: 'a 503',
    error: new ServerError('Away', { ...failure, status: 503, retryAfterMs: 4_000_000 }),
  },
]) {
  test(`createPoller() never shortens the wait ${name} names, however slow its own would be`, async () => {
    let isFirst = true;
    const { looks, troubles, turns } = poller(() => {
      const answer = isFirst ? Promise.reject(error) : Promise.resolve('still' as const);
      isFirst = false;
      return answer;
    });

    await turns(2);

    assert.deepEqual(looks, [0, 4_000]);
    assert.deepEqual(troubles, [null]);
  });
}

test('createPoller() pauses for hours when its key is refused, and reports it immediately (acceptance 199)', async () => {
  const { looks, troubles, turns } = poller(() =>
    Promise.reject(new AuthError('Refused', { ...failure, status: 401 })),
  );

  await turns(2);

  assert.deepEqual(looks, [0, 21_600]);
  assert.equal(troubles[0], 'Cannot GET "/": Refused');
});

test('createPoller() takes what ends because the daemon stops for no trouble', async () => {
  const { job, troubles, stop, clock } = poller(() => {
    stop();
    return Promise.reject(new AuthError('Refused', { ...failure, status: 401 }));
  });

  await job.run();

  assert.deepEqual(troubles, []);
  assert.equal(job.nextAt(), clock.now());
});

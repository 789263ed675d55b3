import assert from 'node:assert/strict';
import test from 'node:test';

import { type HubLoad, simulateHub } from '../../bench/support/hub-simulation.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';

function load(changes: Partial<HubLoad>): HubLoad {
  return {
    machines: 1_000,
    eventsPerMachine: 0.1,
    capacity: 400,
    requestCost: 0,
    room: 16_384,
    seconds: 300,
    outage: null,
    random: seededRandom(7),
    ...changes,
  };
}

test('every event is committed or waits on its machine, whatever happens', (context) => {
  const seed = chooseSeed();
  context.diagnostic(`HOOKBELL_SEED=${seed}`);
  const random = seededRandom(seed);
  for (let round = 0; round < 20; round += 1) {
    const { handedIn, committed, left } = simulateHub(
      load({
        machines: 1 + Math.floor(random() * 500),
        capacity: 1 + Math.floor(random() * 100),
        room: 256 + Math.floor(random() * 1_000),
        outage: random() < 0.5 ? null : { from: 50, to: 50 + Math.floor(random() * 200) },
        random,
      }),
    );
    assert.equal(committed + left, handedIn);
    assert.ok(handedIn > 0);
  }
});

test('a hub with room to spare is steady, and one without falls behind by the difference', () => {
  const steady = simulateHub(load({}));
  assert.ok(steady.p95Seconds < 0.5, `${steady.p95Seconds} s`);
  assert.ok(steady.left < 100, `${steady.left} left`);

  const { left } = simulateHub(load({ capacity: 60 }));
  // 100 events/s arrive, 60 are committed, for 300 s.
  assert.ok(left > 10_000 && left < 14_000, `${left} left`);
});

test('after an outage it takes as long as the arithmetic says', () => {
  const { drainSeconds, mostOnOne } = simulateHub(
    load({ seconds: 1_500, outage: { from: 100, to: 700 } }),
  );
  // 600 s × 100 events/s wait, and 300 events/s more than arrive are committed: 200 s.
  assert.ok(drainSeconds !== null && drainSeconds > 180 && drainSeconds < 260, `${drainSeconds} s`);
  assert.ok(mostOnOne >= 60, `${mostOnOne} on one machine`);
});

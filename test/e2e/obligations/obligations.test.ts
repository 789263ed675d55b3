import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chooseSeed, seededRandom } from '../../support/seeded-random.ts';
import { quickActs } from './acts/all.ts';
import { play } from './play.ts';
import { openSite } from './site.ts';

/**
 * Every check plays every act once; `npm run soak` goes on for a given time. HOOKBELL_ACTS leaves only the
 * acts whose name has that in it.
 */
const acts = quickActs({ envelopes: 1_000 }).filter(({ name }) =>
  name.includes(process.env['HOOKBELL_ACTS'] ?? ''),
);

test('each event that a hook sent is delivered, held, or dead with a reason, whatever happens', async (t) => {
  const seed = chooseSeed();
  t.diagnostic(`HOOKBELL_SEED=${seed}`);
  await using site = await openSite({ random: seededRandom(seed), patienceMs: 30_000 });

  const faults = await play(site, {
    acts,
    goesOn: (played) => played < acts.length,
    stage: (act, work) =>
      t.test(act.name, { skip: act.impossible?.(site) ?? false }, async () => {
        assert.deepEqual(await work(), []);
      }),
  });

  const { entries, slowestMs } = site.ledger;
  t.diagnostic(`${entries.size} events, the slowest hook took ${slowestMs().toFixed(0)} ms`);
  assert.deepEqual(faults, []);
});

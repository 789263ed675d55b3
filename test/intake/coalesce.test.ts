import assert from 'node:assert/strict';
import { test } from 'node:test';

import { coalesce } from '../../src/intake/intake.ts';
import { deferred } from '../support/deferred.ts';

test('coalesce(): calls of the same moment share a run', async () => {
  let runs = 0;
  const call = coalesce(async () => {
    runs += 1;
  });

  await Promise.all([call(), call(), call()]);

  assert.equal(runs, 1);
});

test('coalesce(): calls during a run share one more, which ends before their promise', async () => {
  const entered = deferred();
  const release = deferred();
  let runs = 0;
  const call = coalesce(async () => {
    runs += 1;
    if (runs > 1) return;
    entered.resolve();
    await release.promise;
  });

  const first = call();
  await entered.promise;
  const later = Promise.all([call(), call()]);
  release.resolve();
  await later;

  assert.equal(runs, 2);
  await first;
});

test('coalesce(): a call after the end starts anew', async () => {
  let runs = 0;
  const call = coalesce(async () => {
    runs += 1;
  });

  await call();
  await call();

  assert.equal(runs, 2);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { expositionText } from '../../../src/core/metrics.ts';
import { createCounter, createHistogram } from '../../../src/daemon/metrics/counters.ts';
import { readExposition } from '../../support/exposition-grammar.ts';

describe('createHistogram()', () => {
  test('counts in every bucket what fits into it, the bound included, in seconds', () => {
    const histogram = createHistogram('t_seconds', 'T', [0.1, 1]);
    for (const ms of [0, 100, 101, 5_000]) histogram.observe({ channel: 'a' }, ms);

    const text = expositionText([histogram.family()]);

    assert.deepEqual(text.split('\n').slice(2, -1), [
      't_seconds_bucket{channel="a",le="0.1"} 2',
      't_seconds_bucket{channel="a",le="1"} 3',
      't_seconds_bucket{channel="a",le="+Inf"} 4',
      't_seconds_sum{channel="a"} 5.201',
      't_seconds_count{channel="a"} 4',
    ]);
    assert.equal(readExposition(text).length, 1);
  });
});

describe('createCounter()', () => {
  test('counts each set of labels by itself', () => {
    const counter = createCounter('n_total', 'N');
    counter.add({ a: 'x' });
    counter.add({ a: 'y' });
    counter.add({ a: 'x' });

    assert.deepEqual(
      counter.family().samples.map(({ labels, value }) => [labels['a'], value]),
      [
        ['x', 2],
        ['y', 1],
      ],
    );
  });
});

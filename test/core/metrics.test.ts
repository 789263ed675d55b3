import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { expositionText } from '../../src/core/metrics.ts';
import { readExposition } from '../support/exposition-grammar.ts';

describe('expositionText()', () => {
  test('writes whatever stands in a label or help so that a strict reader reads it again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.double(), (text, value) => {
        const samples = [{ name: 'a_seconds', labels: { channel: text }, value }];
        const written = expositionText([{ name: 'a_seconds', help: text, type: 'gauge', samples }]);

        const [family] = readExposition(written);

        const [sample] = family?.samples ?? [];
        assert.equal(sample?.labels.get('channel'), text);
        // The format has one zero.
        assert.equal((sample?.value ?? 1) + 0, value + 0);
      }),
      {
        examples: [
          ['a\\n"\n', Number.NaN],
          ['}', Infinity],
          [' ', -Infinity],
          ['x', 1e300],
        ],
      },
    );
  });

  test('shows a family without a sample with its help and type alone', () => {
    const text = expositionText([{ name: 'a_total', help: 'A', type: 'counter', samples: [] }]);

    assert.equal(text, '# HELP a_total A\n# TYPE a_total counter\n');
  });
});

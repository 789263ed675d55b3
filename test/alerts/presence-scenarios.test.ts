import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Presence } from '../../src/core/policy.ts';
import { escalating } from '../support/decisions.ts';
import { permission, timeline } from '../support/timeline.ts';

function watching(): Presence {
  return { here: true, watching: true };
}

describe('presence', () => {
  test('who looks at the very terminal is not told, or quietly, as the policy says; later steps come all the same', () => {
    const suppressed = timeline({ ...escalating, whenWatching: 'suppress' }, watching);
    suppressed.at(0, permission('x'));
    suppressed.simulation.finish();
    const softened = timeline({ ...escalating, whenWatching: 'soften' }, watching);
    softened.at(0, permission('x'));

    assert.deepEqual(suppressed.told(), ['team@120', 'mail@600']);
    assert.equal(softened.want(0, 0, 'desktop').quietly, true);
  });

  test('a question that came while somebody looked for others waits for the next look', () => {
    const looks = [null, null, watching()];
    const { at, told, simulation } = timeline({ ...escalating, whenWatching: 'suppress' }, () =>
      looks.length > 1 ? (looks.shift() ?? null) : watching(),
    );
    at(0, permission('x'));
    simulation.finish();

    assert.deepEqual(told(), ['team@120', 'mail@600']);
  });
});

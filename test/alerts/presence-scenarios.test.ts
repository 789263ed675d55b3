import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Presence } from '../../src/core/policy.ts';
import { escalating } from '../support/decisions.ts';
import { permission, timeline } from '../support/timeline.ts';

function watching(): Presence {
  return { isPresent: true, watching: true };
}

describe('presence', () => {
  test("with the session's terminal focused the first step is suppressed or quiet, as the policy says; later steps are sent anyway", () => {
    const suppressed = timeline({ ...escalating, whenWatching: 'suppress' }, watching);
    suppressed.at(0, permission('x'));
    suppressed.simulation.finish();
    const softened = timeline({ ...escalating, whenWatching: 'soften' }, watching);
    softened.at(0, permission('x'));

    assert.deepEqual(suppressed.told(), ['team@120', 'mail@600']);
    assert.equal(softened.want(0, 0, 'desktop').quietly, true);
  });

  test('a question that arrives during a presence check waits for the next check', () => {
    const looks = [null, null, watching()];
    const { at, told, simulation } = timeline({ ...escalating, whenWatching: 'suppress' }, () =>
      looks.length > 1 ? (looks.shift() ?? null) : watching(),
    );
    at(0, permission('x'));
    simulation.finish();

    assert.deepEqual(told(), ['team@120', 'mail@600']);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Presence } from '../../src/core/policy.ts';
import { escalating } from '../support/decisions.ts';
import { permission, timeline } from '../support/timeline.ts';

function watching(): Presence {
  return { isPresent: true, watching: true };
}

describe('presence', () => {
  test("with the session's terminal focused the first step is suppressed or quiet, as the policy says; later steps are sent anyway", async () => {
    await using suppressed = await timeline({ ...escalating, whenWatching: 'suppress' }, watching);
    await suppressed.at(0, permission('x'));
    await suppressed.simulation.finish();
    await using softened = await timeline({ ...escalating, whenWatching: 'soften' }, watching);
    await softened.at(0, permission('x'));

    assert.deepEqual(suppressed.sent(), ['team@120', 'mail@600']);
    assert.equal((await softened.want(0, 0, 'desktop')).quietly, true);
  });

  test('a question that arrives during a presence check waits for the next check', async () => {
    const looks = [null, null, watching()];
    await using line = await timeline({ ...escalating, whenWatching: 'suppress' }, () =>
      looks.length > 1 ? (looks.shift() ?? null) : watching(),
    );
    const { at, sent, simulation } = line;
    await at(0, permission('x'));
    await simulation.finish();

    assert.deepEqual(sent(), ['team@120', 'mail@600']);
  });
});

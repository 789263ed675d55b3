import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { configOf } from '../support/config-text.ts';

describe('The steps of a plan', () => {
  test('name whom channels that write to one person notify', async () => {
    const { policy } = await configOf(`
      plans:
        all:
          - { notify: desktop, to: owner }
          - { after: 1m, notify: desktop, to: "group:on-call", each: 2m }
          - { after: 2m, notify: desktop, to: "group:on-call" }
          - { after: 3m, notify: desktop, to: Ada@Example.com }
      routes: [{ plan: all }]
    `);

    assert.deepEqual(
      policy.plans['all']?.steps.map(({ to }) => to),
      [
        undefined,
        { type: 'group', name: 'on-call', eachMs: 120_000 },
        { type: 'group', name: 'on-call', eachMs: 300_000 },
        { type: 'person', email: 'ada@example.com' },
      ],
    );
    assert.deepEqual(policy.personalChannels, []);
  });
});

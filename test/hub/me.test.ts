import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ME } from '../../src/core/hub/machine-requests.ts';
import { meRoutes } from '../../src/hub/me.ts';
import { silentLog } from '../../src/platform/log.ts';

test('meRoutes() leaves no mute of a person who was erased meanwhile', async () => {
  const done: string[] = [];
  const routes = meRoutes({
    store: {
      mutes: {
        add: () => Promise.resolve(void done.push('add')),
        remove: (which) => Promise.resolve(done.push(`remove ${JSON.stringify(which)}`)),
        active: () => Promise.resolve([]),
      },
      held: { reevaluateHeld: () => Promise.resolve(0) },
    },
    hubStore: {
      person: () => Promise.resolve(null),
      changeSettings: () => Promise.resolve(false),
    },
    directory: { refresh: () => Promise.resolve(), person: () => null },
    policy: () => ({ personalChannels: [], programChannels: [] }),
    newId: () => 'mute',
    now: () => 1_000,
    log: silentLog,
    wake: () => {},
  });
  const body = new TextEncoder().encode(JSON.stringify({ type: 'mute', forMs: null }));
  const peer = { machine: 'desk', person: 'ada@example.com' };

  const answer = await routes[`POST ${ME}`]?.handle(peer, body, new AbortController().signal);

  assert.equal(done.at(-1), 'remove {"person":"ada@example.com"}');
  assert.deepEqual(done.filter((one) => one === 'add').length, 1);
  assert.match(JSON.stringify(answer?.body), /no longer a person of this hub/);
});

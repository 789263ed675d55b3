import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Kind } from '../../src/core/hook-event.ts';
import { nothingLookedUp } from '../../src/core/looked-up.ts';
import { createReplyLink } from '../../src/reply/reply-links.ts';
import { sampleEvent } from '../support/sample.ts';
import { sampleSession } from '../support/store.ts';

async function offered(kind: Kind): Promise<boolean> {
  const session = sampleSession({ lookedUp: { ...nothingLookedUp, askedAt: 1 } });
  const link = await createReplyLink(
    { event: sampleEvent({ kind }), session, also: [] },
    {
      origin: 'http://127.0.0.1:1',
      links: { add: () => Promise.resolve() },
      machine: 'm',
      forMs: 1,
      now: () => 0,
    },
  );
  return link !== null;
}

test('createReplyLink() offers an answer where words can be one, and not on permissions (B7)', async () => {
  assert.equal(await offered('needs.input'), true);
  assert.equal(await offered('needs.permission'), false);
});

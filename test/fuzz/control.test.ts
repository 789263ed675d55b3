import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

import type { ControlAnswers } from '../../src/control/contract.ts';
import { hookbellHome } from '../support/hookbell-home.ts';

const numRuns = Math.ceil(Number(process.env['HOOKBELL_FUZZ_RUNS'] ?? 300) / 3);

const names = fc.constantFrom<keyof ControlAnswers>(
  'GET /v1/status',
  'GET /v1/sessions',
  'GET /v1/history',
  'GET /v1/events',
  'GET /v1/queue',
  'POST /v1/queue-retry',
  'POST /v1/queue-drop',
  'GET /v1/alerts',
  'POST /v1/ack',
  'POST /v1/open',
  'POST /v1/snooze',
  'GET /v1/mutes',
  'POST /v1/mutes',
  'POST /v1/unmute',
  'GET /v1/quarantine',
);
const word = fc.oneof(
  fc.string(),
  fc.constantFrom('last', '1', '-1', 'NaN', 'claude', 'dead', '%', '\0'),
);
const body = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      ids: fc.array(word),
      all: fc.boolean(),
      session: word,
      forMs: fc.oneof(fc.integer(), fc.double(), fc.constant(null)),
      kind: fc.constantFrom('turn.done', '__proto__'),
    },
    { requiredKeys: [] },
  ),
);
const query = fc.dictionary(
  fc.constantFrom('limit', 'state', 'before', 'session', 'agent', 'suppressed', 'other'),
  word,
);

test('the control socket answers every request, or says what is wrong with it, and goes on (fault 46)', async () => {
  await using place = await hookbellHome();
  await place.start();
  await place.hook({ session_id: 's', hook_event_name: 'Notification', message: 'May I?' });

  await fc.assert(
    fc.asyncProperty(
      names,
      fc.option(word, { nil: undefined }),
      query,
      body,
      async (name, part, asked, sent) => {
        try {
          await place.ask(name, {
            query: asked,
            ...(part === undefined ? {} : { part }),
            ...(name.startsWith('POST') ? { body: sent } : {}),
          });
        } catch (error) {
          assert.ok(error instanceof Error);
          assert.doesNotMatch(
            error.message,
            /see "hookbell logs"|Cannot reach/,
            `${name} ${error.message}`,
          );
        }
      },
    ),
    { numRuns },
  );

  assert.equal((await place.cli('status')).code, 0);
});

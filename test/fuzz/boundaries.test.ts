import { describe, test } from 'node:test';
import * as fc from 'fast-check';

import { hostileTexts } from '../support/hostile-texts.ts';
import { seededSecrets } from '../support/seeded-secrets.ts';
import { boundaries } from './boundaries.ts';

/** HOOKBELL_FUZZ_RUNS=1000000 looks for as long as one likes; HOOKBELL_SEED repeats a run that failed. */
const numRuns = Number(process.env['HOOKBELL_FUZZ_RUNS'] ?? 300);
const seed = process.env['HOOKBELL_SEED'];

/** What the formats are made of. */
const words = [
  'hookbell 1\n',
  '\nhookbell-end 00000000000000000000000000000000\n',
  'agent=claude\n',
  '{"hook_event_name":"Stop",',
  '{"hook_event_name":"Notification","message":"',
  '{"type":"session.idle","properties":{"sessionID":"',
  '"session_id":"',
  '"tool_input":{',
  '"last_assistant_message":',
  '"}',
  '}}',
  'channels: ',
  'routes: ',
  'plans: ',
  'match: { kind: ',
  'mute: ',
  'label: ',
  'type: slack\n',
  '&a ',
  '*a',
  '- ',
  '  ',
  '!!js/function ',
  '%YAML 1.1\n---\n',
  '{message}',
  '{project',
  '*?',
  'Wed, 21 Oct 2026 07:28:00 GMT',
  '99999',
  '\uFEFF',
  '__proto__',
  ...hostileTexts,
  ...seededSecrets.map(({ secret, text = (value) => value }) => text(secret)),
];

const bytes = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.oneof(fc.constantFrom(...words), fc.string()), { maxLength: 12 }),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
);

describe('whatever comes in, a boundary answers (fault 46)', () => {
  for (const { name, take } of boundaries) {
    test(name, async (t) => {
      let slowestMs = 0;
      await fc.assert(
        fc.asyncProperty(bytes, async (input) => {
          const startedAt = performance.now();
          await take(Array.isArray(input) ? Buffer.from(input.join('')) : Buffer.from(input));
          slowestMs = Math.max(slowestMs, performance.now() - startedAt);
        }),
        { numRuns, ...(seed === undefined ? {} : { seed: Number(seed) }) },
      );
      t.diagnostic(`the slowest of ${numRuns} took ${slowestMs.toFixed(1)} ms`);
    });
  }
});

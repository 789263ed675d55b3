import * as fc from 'fast-check';

import { hostileTexts } from '../support/hostile-texts.ts';
import { seededSecrets } from '../support/seeded-secrets.ts';

/** What the formats are made of. */
export const words: readonly string[] = [
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

/** Words of the formats in any order, or any bytes. */
export const inputs: fc.Arbitrary<Buffer> = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc.array(fc.oneof(fc.constantFrom(...words), fc.string()), { maxLength: 12 }),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  )
  .map((input) => (Array.isArray(input) ? Buffer.from(input.join('')) : Buffer.from(input)));

import * as fc from 'fast-check';

import { type HookEvent, kinds, sessionKeyOf } from '../../src/core/hook-event.ts';
import type { Mute, Presence } from '../../src/core/policy.ts';
import { people } from './arbitrary-policy.ts';
import { sampleEvent, sampleMute } from './sample.ts';
import { START } from './timeline.ts';

/** What happens on a timeline, in the order of `at`. */
export type Happening =
  | { readonly type: 'event'; readonly event: HookEvent }
  | { readonly type: 'seen'; readonly at: number; readonly sessionKey: string | null }
  | { readonly type: 'mute'; readonly at: number; readonly mute: Mute }
  | { readonly type: 'sleep'; readonly at: number };

const agent = fc.constantFrom('claude', 'droid');
const sessionId = fc.constantFrom('s1', 's2', 's3', null);
const gapMs = fc.constantFrom(0, 1, 900, 6_000, 59_000, 600_000, 3_600_000, 9 * 3_600_000);

const event = fc
  .record({
    agent,
    sessionId,
    kind: fc.constantFrom(...kinds),
    lateMs: fc.constantFrom(0, 0, 0, 5, 2_000, 120_000),
    subject: fc.constantFrom(null, 'npm test', 'rm -r build'),
    notificationType: fc.constantFrom(null, null, 'idle_prompt', 'permission_prompt'),
    subagent: fc.boolean(),
    attended: fc.constantFrom(true, false, null),
    failed: fc.boolean(),
    backgroundWork: fc.boolean(),
    source: fc.constantFrom(null, 'startup', 'compact'),
    duplicateKey: fc.option(fc.integer({ min: 0, max: 2 }), { freq: 3 }),
  })
  .map(({ lateMs, duplicateKey, ...fields }) => (at: number, index: number): Happening => {
    const sessionKey = sessionKeyOf(fields.agent, fields.sessionId, '/home/dev/shop');
    return {
      type: 'event',
      event: sampleEvent({
        ...fields,
        id: `event-${index}`,
        at: at - lateMs,
        receivedAt: at,
        sessionKey,
        event: fields.kind === 'needs.permission' ? 'PermissionRequest' : 'Notification',
        // Keys begin with the session, as those of decodePayload() do.
        duplicate: {
          key: `${sessionKey} ${duplicateKey ?? `of ${index}`}`,
          windowMs: 60_000,
        },
      }),
    };
  });

const seen = fc
  .option(fc.constantFrom('claude:s1', 'droid:s2'))
  .map((sessionKey) => (at: number): Happening => ({ type: 'seen', at, sessionKey }));

const mute = fc
  .record({
    forMs: fc.option(fc.constantFrom(60_000, 7_200_000)),
    sessionKey: fc.option(fc.constantFrom('claude:s1', 'droid:s2')),
    channel: fc.option(fc.constantFrom(...people)),
  })
  .map(({ forMs, sessionKey, channel }) => (at: number, index: number): Happening => ({
    type: 'mute',
    at,
    mute: sampleMute({
      id: `mute-${index}`,
      until: forMs === null ? null : at + forMs,
      sessionKey,
      channel,
    }),
  }));

const sleep = fc.constant((at: number): Happening => ({ type: 'sleep', at }));

/** Sessions of two agents side by side: any events, late, twice, from subagents; and a person who reacts now and then. */
export const arbitraryStream: fc.Arbitrary<readonly Happening[]> = fc
  .array(
    fc.tuple(
      gapMs,
      fc.oneof(
        { weight: 12, arbitrary: event },
        { weight: 1, arbitrary: seen },
        { weight: 1, arbitrary: mute },
        { weight: 1, arbitrary: sleep },
      ),
    ),
    { maxLength: 25 },
  )
  .map((happenings) => {
    let at = START;
    return happenings.map(([gap, make], index) => {
      at += gap;
      return make(at, index);
    });
  });

/** What is known of the person, in turn. */
export const arbitraryPresences: fc.Arbitrary<readonly Presence[]> = fc.array(
  fc.record({
    isPresent: fc.constantFrom(true, false, null),
    watching: fc.constantFrom(true, false, null),
  }),
  { minLength: 1, maxLength: 5 },
);

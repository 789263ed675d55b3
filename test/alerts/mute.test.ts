import assert from 'node:assert/strict';
import { test } from 'node:test';

import { muteFor } from '../../src/alerts/mute.ts';
import type { Mute } from '../../src/core/policy.ts';
import { sampleEvent, sampleMute } from '../support/sample.ts';

const NOW = 1_700_000_000_000;
const event = sampleEvent({ kind: 'needs.input', agent: 'claude', project: 'shop' });

const cases: readonly (readonly [string, Partial<Mute>, boolean])[] = [
  ['of everything', {}, true],
  ['until later', { until: NOW + 1 }, true],
  ['until now', { until: NOW }, false],
  ['of the session', { sessionKey: event.sessionKey }, true],
  ['of another session', { sessionKey: 'claude:s2' }, false],
  ['of the project', { project: 'shop' }, true],
  ['of another project', { project: 'blog' }, false],
  ['of the agent', { agent: 'claude' }, true],
  ['of another agent', { agent: 'droid' }, false],
  ['of the kind', { kind: 'needs.input' }, true],
  ['of another kind', { kind: 'turn.done' }, false],
  ['of the channel', { channel: 'desktop' }, true],
  ['of another channel', { channel: 'team' }, false],
  ['of the project on another channel', { project: 'shop', channel: 'team' }, false],
];
for (const [name, fields, isMuted] of cases) {
  test(`muteFor(): a mute ${name} ${isMuted ? 'holds' : 'does not hold'}`, () => {
    assert.equal(
      muteFor([sampleMute(fields)], event, { channel: 'desktop' }, NOW) !== null,
      isMuted,
    );
  });
}

test('muteFor() answers the mute that holds longest, and one without an end before all others', () => {
  const short = sampleMute({ id: 'short', until: NOW + 1 });
  const long = sampleMute({ id: 'long', until: NOW + 2 });
  const endless = sampleMute({ id: 'endless' });

  assert.equal(muteFor([short, long], event, { channel: 'desktop' }, NOW)?.id, 'long');
  assert.equal(muteFor([long, endless, short], event, { channel: 'desktop' }, NOW)?.id, 'endless');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import inbox from '../../src/channels/inbox.ts';
import type { ChannelConfig } from '../../src/config/channel-schema.ts';
import { createRedaction } from '../../src/daemon/redaction.ts';
import { sampleRecord } from '../support/store.ts';

const SECRET = 'password=hunter22';
const CLEAN = 'password=[redacted:assignment]';
const usual = { notifications: true, history: false, prefixes: [], keys: [] };

function channel(name: string, redact: boolean | null): ChannelConfig {
  const common = { type: 'inbox', definition: inbox, options: {}, limits: inbox.limits };
  return { name, ...common, body: 'full', settleDelayMs: null, redact };
}

const channels = [channel('plain', null), channel('open', false), channel('strict', true)];

function shownBy(notifications: boolean): readonly string[] {
  const { textFor } = createRedaction({ redact: { ...usual, notifications }, channels });
  return [null, 'plain', 'open', 'strict'].map((name) => textFor(name)(SECRET));
}

test('createRedaction(): secrets are taken out everywhere but where a channel asks for them', () => {
  assert.deepEqual(shownBy(true), [CLEAN, CLEAN, SECRET, CLEAN]);
});

test('createRedaction(): where it is off, a channel can still ask for it', () => {
  assert.deepEqual(shownBy(false), [SECRET, SECRET, SECRET, CLEAN]);
});

test('createRedaction(): events are stored as they are unless the history is to be redacted, too', () => {
  const record = sampleRecord({ message: SECRET });
  const stored = (history: boolean) =>
    createRedaction({ redact: { ...usual, history }, channels }).record(record).event.message;

  assert.equal(stored(false), SECRET);
  assert.equal(stored(true), CLEAN);
});

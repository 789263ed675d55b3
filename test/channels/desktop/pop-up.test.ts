import assert from 'node:assert/strict';
import { test } from 'node:test';

import { desktopOptions, popUpOf } from '../../../src/channels/desktop/pop-up.ts';
import { handMadeSessionId } from '../../../src/core/hand-made.ts';
import type { Kind } from '../../../src/core/hook-event.ts';
import { type Notification, severityOf } from '../../../src/core/notification.ts';
import { sampleNotification } from '../../support/sample.ts';

function popUp(fields: Partial<Notification>, options: Record<string, unknown> = {}) {
  return popUpOf(sampleNotification(fields), desktopOptions.parse(options));
}

function ofKind(kind: Kind, options?: Record<string, unknown>) {
  return popUp({ kind, severity: severityOf({ kind, failed: false }) }, options);
}

test('popUpOf() makes questions and failures critical, finished turns normal, all else low', () => {
  const urgencies = (
    ['needs.permission', 'needs.input', 'turn.failed', 'turn.done', 'session.end'] as const
  ).map((kind) => ofKind(kind).urgency);

  assert.deepEqual(urgencies, ['critical', 'critical', 'critical', 'normal', 'low']);
});

test('popUpOf() distinguishes a permission, a failure and a test by colour, and a test is not urgent (B6, B14)', () => {
  const looks = [
    popUp({ kind: 'needs.permission' }),
    popUp({ kind: 'turn.failed', severity: 'critical' }),
    popUp({ kind: 'test', severity: 'info' }),
  ].map(({ colour, urgency }) => [colour, urgency]);

  assert.deepEqual(looks, [
    ['#bf8700', 'critical'],
    ['#cf222e', 'critical'],
    ['#6e7781', 'normal'],
  ]);
});

test('popUpOf() rings for what a person has to act on or what failed, and for nothing else', () => {
  const sounds = (['needs.input', 'turn.failed', 'turn.done'] as const).map(
    (kind) => ofKind(kind).sound,
  );

  assert.deepEqual(sounds, ['default', 'default', null]);
});

test('popUpOf() takes sound by severity from the options', () => {
  const some = { sound: { info: true, critical: 'alarm-clock-elapsed', warning: false } };

  assert.equal(ofKind('turn.done', some).sound, 'default');
  assert.equal(ofKind('turn.failed', some).sound, 'alarm-clock-elapsed');
  assert.equal(ofKind('needs.input', some).sound, null);
  assert.equal(ofKind('needs.input', { sound: { info: true } }).sound, 'default');
  assert.equal(ofKind('turn.failed', { sound: false }).sound, null);
});

test('popUpOf() takes urgency and expiry by severity from the options', () => {
  const options = { urgency: { info: 'critical' }, expire_seconds: { info: 5, warning: 0 } };

  const [done, waiting, broken] = (['turn.done', 'needs.input', 'turn.failed'] as const).map(
    (kind) => ofKind(kind, options),
  );

  assert.deepEqual([done?.urgency, done?.expireMs], ['critical', 5_000]);
  assert.deepEqual([waiting?.urgency, waiting?.expireMs], ['critical', 0]);
  assert.equal(broken?.expireMs, null);
});

test('popUpOf() makes what is to be shown quietly low and silent, whatever the options say', () => {
  const { urgency, sound } = popUp(
    { kind: 'needs.input', severity: 'warning', quietly: true },
    { urgency: { warning: 'critical' }, sound: { warning: 'bell' } },
  );

  assert.deepEqual([urgency, sound], ['low', null]);
});

test('popUpOf() cuts title and body between graphemes', () => {
  const { title, body } = popUp({ title: '👨‍👩‍👧'.repeat(99), body: 'é'.repeat(999) });

  assert.match(title, /^(?:👨‍👩‍👧)+…$/u);
  assert.ok(title.length <= 120);
  assert.equal(body.length, 600);
});

test('popUpOf() never leaves the title empty (notify-send would fail)', () => {
  assert.equal(popUp({ title: '\u0000\u202e' }).title, 'hookbell');
});

test('popUpOf() makes a key of letters and digits that differs by group (T5, T6)', () => {
  const keys = ['claude:s1', '--help', 'a:b:c', '\n'].map((groupKey) => popUp({ groupKey }).key);

  for (const key of keys) assert.match(key, /^[0-9a-f]{16}$/);
  assert.equal(new Set(keys).size, 4);
  assert.equal(popUp({ groupKey: '--help' }).key, keys[1]);
});

test('desktopOptions refuses a sound that looks like an option', () => {
  assert.equal(desktopOptions.safeParse({ sound: { info: '--help' } }).success, false);
  assert.equal(desktopOptions.safeParse({ sound: { info: 'a:b' } }).success, false);
});

test('popUpOf() lets a click bring the session forward, unless it is only to acknowledge', () => {
  const fields = { deliveryId: 'd1', agent: 'droid', facts: { windowid: '7' }, at: 5 } as const;
  const opens = { agent: 'droid', facts: { windowid: '7' }, at: 5 };

  const seen = { deliveryId: 'd1', type: 'acknowledged' };
  assert.deepEqual(popUp(fields).reaction, { ...seen, opens });
  assert.deepEqual(popUp(fields, { click: 'acknowledge' }).reaction, { ...seen, opens: null });
});

test('popUpOf() lets the pop-up of a test or a trial pass by after 10 s (B3)', () => {
  const trial = handMadeSessionId('trial', '0123456789abcdef');

  for (const shown of [ofKind('test'), popUp({ kind: 'needs.permission', sessionId: trial })]) {
    assert.equal(shown.expireMs, 10_000);
    assert.equal(shown.urgency, 'normal');
    assert.equal(shown.passing, true);
  }
  assert.equal(ofKind('needs.permission').passing, false);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { PopUp } from '../../../src/channels/desktop/backend.ts';
import { actionKey, type PopUpDecision } from '../../../src/channels/desktop/decision.ts';
import { createKnownPopUps } from '../../../src/channels/desktop/known-pop-ups.ts';
import { notifyBody } from '../../../src/channels/desktop/server-link.ts';
import type { Reaction } from '../../../src/core/channel.ts';

const url = 'http://127.0.0.1:7447/reply/token';
const requestHash = 'a1'.repeat(32);
const location = { agent: 'claude', facts: {}, at: 1 } as const;

function popUp(fields: Partial<PopUp> = {}): PopUp {
  return {
    reaction: { deliveryId: 'd1', type: 'acknowledged', opens: location },
    replyUrl: null,
    decision: null,
    title: 'shop: waits',
    body: 'Run <it>?',
    urgency: 'normal',
    colour: '#bf8700',
    expireMs: null,
    passing: false,
    evenIfHidden: false,
    sound: null,
    key: 'k1',
    location,
    ...fields,
  };
}

function decision(fields: Partial<PopUpDecision> = {}): PopUpDecision {
  const allow = { choice: 'allow', option: null, label: 'Allow' } as const;
  const deny = { choice: 'deny', option: null, label: 'Deny' } as const;
  const request = { question: 'q1', requestHash, body: 'Run it' };
  return { ...request, buttons: [allow, deny], typed: 'deny', ...fields };
}

const text = (value: string) => ({ signature: 's', value });

function openKnown() {
  const reactions: Reaction[] = [];
  const clock = { now: 1_000 };
  const known = createKnownPopUps({
    now: () => clock.now,
    onReaction: (reaction) => void reactions.push(reaction),
    onForgotten: () => undefined,
  });
  return {
    known,
    reactions,
    clock,
    show: (id: number, fields: Partial<PopUp> = {}) =>
      known.remember(id, known.entry(popUp(fields), false)),
  };
}

describe('createKnownPopUps()', () => {
  test('reports the first button of a request, and which it was', () => {
    const { known, reactions, show } = openKnown();
    const asked = decision();
    show(1, { decision: asked, replyUrl: url });
    const [allow, deny] = asked.buttons.map((button) => actionKey(button, asked));

    known.handleSignal(1, 'ActionInvoked', deny);
    known.handleSignal(1, 'ActionInvoked', allow);

    const given = { choice: 'deny', question: 'q1', requestHash, option: null, words: null };
    assert.deepEqual(reactions, [{ deliveryId: 'd1', type: 'decided', ...given }]);
  });

  test('reports what is typed below a request as its words, and not the button that opens the field', () => {
    const { known, reactions, show } = openKnown();
    show(1, { decision: decision() });

    known.handleSignal(1, 'ActionInvoked', 'inline-reply');
    known.handleSignal(1, 'NotificationReplied', 'Use staging');
    known.handleSignal(1, 'NotificationReplied', 'and more');

    const given = { choice: 'deny', question: 'q1', requestHash, option: null };
    assert.deepEqual(reactions, [
      { deliveryId: 'd1', type: 'decided', ...given, words: 'Use staging' },
    ]);
  });

  test('reports nothing for an action that the pop-up does not have, nor for another pop-up', () => {
    const { known, reactions, show } = openKnown();
    show(1);
    show(2, { replyUrl: url });

    known.handleSignal(1, 'ActionInvoked', 'reply');
    known.handleSignal(1, 'NotificationReplied', 'words');
    known.handleSignal(2, 'ActionInvoked', 'settings');
    known.handleSignal(2, 'NotificationReplied', 7);
    known.handleSignal(3, 'ActionInvoked', 'default');

    assert.deepEqual(reactions, []);
  });

  test('gives a pop-up to no other request, so that words reach the one that was shown', () => {
    const { known, show } = openKnown();
    show(1, { decision: decision() });
    show(2);

    assert.equal(known.mayReplace(1, popUp({ decision: decision() })), true);
    assert.equal(known.mayReplace(1, popUp({ decision: decision({ question: 'q2' }) })), false);
    assert.equal(known.mayReplace(1, popUp()), false);
    assert.equal(known.mayReplace(2, popUp()), true);
    assert.equal(known.mayReplace(2, popUp({ decision: decision() })), false);
    assert.equal(known.mayReplace(0, popUp()), true);
  });

  test('forgets the oldest of too many, and then what has expired', () => {
    const { known, clock, show } = openKnown();
    for (let id = 1; id <= 501; id += 1) show(id, { key: `k${id}`, expireMs: id === 2 ? 500 : 0 });

    assert.deepEqual([known.size(), known.get(1), known.latest('k1')], [500, undefined, 0]);
    clock.now += 501;
    known.forgetExpired();
    assert.deepEqual([known.size(), known.get(2), known.latest('k3')], [499, undefined, 3]);
    clock.now += 12 * 3_600_000;
    known.forgetExpired();
    assert.equal(known.size(), 0);
  });

  test('an older pop-up of a group is not its latest', () => {
    const { known, show } = openKnown();
    show(1);
    show(2);

    known.forget(1);

    assert.equal(known.latest('k1'), 2);
    known.forget(2);
    assert.equal(known.latest('k1'), 0);
  });
});

describe('notifyBody()', () => {
  const all = ['actions', 'body', 'body-markup', 'inline-reply'];

  function shown(
    fields: Partial<PopUp> = {},
    capabilities: readonly string[] = all,
    opensPages = true,
  ) {
    const body = notifyBody({ popUp: popUp(fields), replaces: 0, capabilities, opensPages });
    const [, , , , shownText, actions, hints, expireMs] = body;
    assert.ok(Array.isArray(actions) && Array.isArray(hints));
    return { shownText, actions, hints: new Map<unknown, unknown>(hints), expireMs };
  }

  test('offers the buttons of a request, a field for words, and the page with all of it', () => {
    const asked = decision();
    const buttons = asked.buttons.flatMap((button) => [actionKey(button, asked), button.label]);
    const field = ['inline-reply', 'Deny with words'];
    const click = ['default', 'Open terminal'];

    assert.deepEqual(shown({ decision: asked, replyUrl: url }).actions, [
      ...click,
      ...buttons,
      ...field,
      'reply',
      'See all',
    ]);
    assert.deepEqual(shown({ decision: asked, replyUrl: url }, all, false).actions, [
      ...click,
      ...buttons,
      ...field,
    ]);
    assert.deepEqual(shown({ decision: asked }, ['actions', 'body']).actions, [
      ...click,
      ...buttons,
    ]);
  });

  test('offers only Deny on a server that shows no texts', () => {
    const asked = decision();

    const { actions } = shown({ decision: asked }, ['actions']);

    assert.deepEqual(
      actions.slice(2).filter((_, index) => index % 2 === 1),
      ['Deny'],
    );
  });

  test('says what is to be typed', () => {
    const hint = 'x-kde-reply-placeholder-text';
    const asks = decision({ typed: 'answer' });

    assert.ok(shown({ decision: asks }).actions.includes('Answer'));
    assert.deepEqual(shown({ decision: asks }).hints.get(hint), text('Your answer'));
    assert.deepEqual(
      shown({ decision: decision() }).hints.get(hint),
      text('What the agent should do instead'),
    );
    assert.deepEqual(shown({ replyUrl: url }).hints.get(hint), text('Your answer'));
    assert.equal(shown().hints.get(hint), undefined);
  });

  test('says what a click does', () => {
    const acknowledged = { deliveryId: 'd', type: 'acknowledged', opens: null } as const;

    assert.deepEqual(shown().actions, ['default', 'Open terminal']);
    assert.deepEqual(shown({ reaction: acknowledged }).actions, ['default', 'Acknowledge']);
    assert.deepEqual(shown({}, ['body']).actions, []);
  });

  test('escapes the text for a server that reads markup, and only there', () => {
    assert.equal(shown().shownText, 'Run &lt;it&gt;?');
    assert.equal(shown({}, ['body']).shownText, 'Run <it>?');
  });

  test('names the sound, and is silent without one', () => {
    assert.deepEqual(shown({ sound: 'bell' }).hints.get('sound-name'), text('bell'));
    assert.deepEqual(
      shown({ sound: 'default' }).hints.get('sound-name'),
      text('message-new-instant'),
    );
    assert.equal(shown().hints.get('sound-name'), undefined);
  });

  test('asks a server to keep only what does not pass', () => {
    const transient = { signature: 'b', value: true };

    assert.deepEqual(shown({ passing: true }).hints.get('transient'), transient);
    assert.equal(shown().hints.get('transient'), undefined);
    assert.deepEqual([shown().expireMs, shown({ expireMs: 0 }).expireMs], [-1, 0]);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { lookUpStage } from '../support/look-up-stage.ts';

const MINUTE = 60_000;

describe('createLookUp()', () => {
  test('finds title, computer, time at work and credits, and asks again after 10 minutes', async () => {
    await using stage = await lookUpStage();
    const { lookUp, clock, session, service, asked } = stage;

    await lookUp.ask(session.sessionId);

    const known = lookUp.cached(session.sessionId);
    const computer = service.state().computers.find(({ id }) => id === session.computerId);
    assert.equal(known?.session.title, session.title);
    assert.equal(known?.computer, computer?.name);
    assert.equal(known?.session.activeMs, session.sessionSettings?.['assistantActiveTimeMs']);
    assert.ok((known?.session.credits?.amount ?? 0) > 0);
    assert.deepEqual(asked(), ['sessions.get', 'computers.get']);

    await clock.advance(10 * MINUTE - 1);
    assert.equal(lookUp.ask(session.sessionId), null);
    await clock.advance(1);
    assert.equal(lookUp.cached(session.sessionId), null);
    await lookUp.ask(session.sessionId);
    assert.equal(asked().length, 4);
  });

  test('shares a request among all who ask meanwhile', async () => {
    await using stage = await lookUpStage();
    const { lookUp, session, asked } = stage;

    await Promise.all([lookUp.ask(session.sessionId), lookUp.ask(session.sessionId)]);

    assert.deepEqual(asked(), ['sessions.get', 'computers.get']);
  });

  test('remembers for an hour that an id is unknown, and asks for others all the same (A34)', async () => {
    await using stage = await lookUpStage();
    const { lookUp, clock, session, asked } = stage;

    await lookUp.ask('no-such-session');
    assert.equal(lookUp.ask('no-such-session'), null);
    assert.equal(lookUp.askAgain('no-such-session'), null);
    await lookUp.ask(session.sessionId);
    assert.deepEqual(asked(), ['sessions.get', 'sessions.get', 'computers.get']);

    await clock.advance(60 * MINUTE);
    await lookUp.ask('no-such-session');
    assert.equal(asked().length, 4);
  });

  test('asks nothing for an hour after a 403 (A34)', async () => {
    await using stage = await lookUpStage();
    const { lookUp, clock, service, session, asked } = stage;
    service.fault({ match: { nth: 1 }, effect: { kind: 'v0-off', status: 403 } });

    await lookUp.ask('any');
    assert.equal(lookUp.ask(session.sessionId), null);
    assert.deepEqual([lookUp.state().state, asked().length], ['paused', 1]);

    await clock.advance(60 * MINUTE);
    await lookUp.ask(session.sessionId);
    assert.notEqual(lookUp.cached(session.sessionId), null);
    assert.deepEqual(lookUp.state(), { state: 'ok', until: null, reason: null });
  });

  test('A17: five hooks in a burst against a service that answers 403 make one look-up', async () => {
    await using stage = await lookUpStage();
    const { lookUp, service, asked } = stage;
    service.fault({ effect: { kind: 'v0-off', status: 403 } });

    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (id) => lookUp.ask(id)));

    assert.deepEqual(asked(), ['sessions.get']);
    assert.match(lookUp.state().reason ?? '', /403/);
  });

  test('A17: a burst against a service that answers is looked up whole, once the first answer is there', async () => {
    await using stage = await lookUpStage();
    const { lookUp, service } = stage;
    const ids = service.state().sessions.slice(0, 5);

    await Promise.all(ids.map(async ({ sessionId }) => lookUp.ask(sessionId)));

    assert.equal(ids.filter(({ sessionId }) => lookUp.cached(sessionId) !== null).length, 5);
  });

  test('A17: a time-out that comes late does not take the place of the reason for the pause', async () => {
    await using stage = await lookUpStage();
    const { lookUp, clock, service, session, received } = stage;
    await lookUp.ask(session.sessionId);
    service.fault({ match: { path: '*/slow' }, effect: { kind: 'hang' } });
    service.fault({ match: { path: '*/barred' }, effect: { kind: 'status', status: 403 } });

    const slow = lookUp.ask('slow');
    await received(3);
    await lookUp.ask('barred');
    await clock.advance(10_000);
    await slow;

    assert.match(lookUp.state().reason ?? '', /403/);
    assert.equal(lookUp.state().until, clock.now() - 10_000 + 60 * MINUTE);
  });

  test('keeps the title where only the computer is refused, and does not ask for it again', async () => {
    await using stage = await lookUpStage();
    const { lookUp, service, session, asked } = stage;
    const effect = { kind: 'status', status: 403 } as const;
    service.fault({ match: { path: '/api/v0/computers/*' }, effect });

    await lookUp.ask(session.sessionId);
    await lookUp.askAgain(session.sessionId);
    await lookUp.stop();

    const known = lookUp.cached(session.sessionId);
    assert.deepEqual([known?.session.title, known?.computer], [session.title, null]);
    assert.equal(lookUp.state().state, 'ok');
    assert.deepEqual(asked(), ['sessions.get', 'computers.get', 'sessions.get']);
  });

  test('rests as long as a 429 asks for', async () => {
    await using stage = await lookUpStage();
    const { lookUp, clock, service, session } = stage;
    const retryAfter = { form: 'seconds', seconds: 90 } as const;
    service.fault({ match: { nth: 1 }, effect: { kind: 'status', status: 429, retryAfter } });

    await lookUp.ask(session.sessionId);
    assert.equal(lookUp.state().until, clock.now() + 90_000);

    await clock.advance(90_000 - 1);
    assert.equal(lookUp.ask(session.sessionId), null);
    await clock.advance(1);
    await lookUp.ask(session.sessionId);
    assert.notEqual(lookUp.cached(session.sessionId), null);
  });

  test('pauses for a minute after three failures in a row, then tries with one request', async () => {
    await using stage = await lookUpStage();
    const { lookUp, clock, service, session, asked } = stage;
    service.fault({ match: { times: 4 }, effect: { kind: 'status', status: 500 } });

    for (const id of ['a', 'b', 'c']) await lookUp.ask(id);
    assert.equal(lookUp.ask('d'), null);
    assert.match(lookUp.state().reason ?? '', /500/);

    await clock.advance(MINUTE);
    const probe = lookUp.ask('e');
    assert.equal(lookUp.ask('f'), null);
    await probe;
    assert.equal(lookUp.ask('g'), null);
    assert.equal(asked().length, 4);

    await clock.advance(MINUTE);
    await lookUp.ask(session.sessionId);
    assert.deepEqual(lookUp.state(), { state: 'ok', until: null, reason: null });
  });

  test('gives up a request that hangs after 10 s, and says so', async () => {
    await using stage = await lookUpStage();
    const { lookUp, clock, service, session, received } = stage;
    service.fault({ match: { nth: 1 }, effect: { kind: 'hang' } });

    const asking = lookUp.ask(session.sessionId);
    await received(1);
    await clock.advance(10_000);
    await asking;

    assert.equal(lookUp.cached(session.sessionId), null);
    assert.equal(lookUp.state().reason, 'It did not answer within 10 s');
  });

  test('asks about 20 sessions at a time at most', async () => {
    await using stage = await lookUpStage();
    const { lookUp, service } = stage;
    service.fault({ effect: { kind: 'hang' } });

    const asking = Array.from({ length: 21 }, (_, number) => lookUp.ask(`s${number}`));

    assert.deepEqual(
      asking.map((one) => one !== null),
      [...Array.from({ length: 20 }, () => true), false],
    );
  });

  test('rests for ten minutes when the key is refused, and check() ends that once it is accepted', async () => {
    await using stage = await lookUpStage();
    const { lookUp, clock, service, session } = stage;
    const effect = { kind: 'status', status: 401 } as const;
    const mend = service.fault({ effect });

    await lookUp.ask(session.sessionId);
    assert.equal(lookUp.state().until, clock.now() + 10 * MINUTE);
    assert.equal((await lookUp.check()).type, 'failed');
    mend();
    assert.equal((await lookUp.check()).type, 'found');

    await lookUp.ask(session.sessionId);
    assert.notEqual(lookUp.cached(session.sessionId), null);
  });

  test('check() takes a 404 on the list for a service without sessions (A34)', async () => {
    await using stage = await lookUpStage();
    const { lookUp, service } = stage;
    service.fault({ effect: { kind: 'v0-off', status: 404 } });

    assert.equal((await lookUp.check()).type, 'refused');
    assert.equal(lookUp.ask('any'), null);
  });

  test('an id that fits no path is unknown, and nothing is sent', async () => {
    await using stage = await lookUpStage();
    const { lookUp, asked } = stage;

    await lookUp.ask('..');

    assert.deepEqual([lookUp.ask('..'), asked()], [null, []]);
  });
});

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { GivenDecision } from '../../src/core/channel.ts';
import { failed } from '../../src/core/outcome.ts';
import type { RunningChannel } from '../../src/delivery/running-channel.ts';
import { type AnswerByLink, tokenOf } from '../../src/reply/answer-by-link.ts';
import type { FoundQuestion } from '../../src/reply/decisions.ts';
import { createPopUpReplies, type PopUpRepliesOptions } from '../../src/reply/pop-up-replies.ts';
import { silentLog } from '../../src/platform/log.ts';
import { fakeChannel } from '../support/fake-channel.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const TOKEN = tokenOf(new Uint8Array(32).fill(7));
const URL_OF_LINK = `http://127.0.0.1:7447/reply/${TOKEN}`;
const link = {
  tokenHash: 'hash',
  eventId: 'e',
  createdAt: 1,
  expiresAt: 2,
  usedAt: null,
  outcome: null,
};

interface Scene {
  readonly answer?: AnswerByLink | Error;
  readonly found?: FoundQuestion | Error;
  readonly type?: string;
  /** The folder of unsent texts is a file. */
  readonly isBlocked?: boolean;
}

async function orThrow<Value>(value: Value | Error | undefined): Promise<Value> {
  if (value instanceof Error) throw value;
  if (value === undefined) throw new Error('This was not expected');
  return value;
}

/** Pop-ups of the channel "desk", whose answers end as the scene says. */
async function open({ answer, found, type = 'desktop', isBlocked = false }: Scene = {}) {
  const directory = await temporaryDirectory();
  const [runtime, replies] = [join(directory.path, 'run'), join(directory.path, 'replies')];
  mkdirSync(runtime);
  if (isBlocked) writeFileSync(replies, '');
  const desk = fakeChannel({ now: () => 1 });
  const running: RunningChannel = {
    name: 'desk',
    type,
    channel: desk.channel,
    limits: desk.limits,
    audience: 'person',
    reach: 'near',
    can: {},
    problem: null,
  };
  const decided: unknown[] = [];
  const warned: string[] = [];
  const options: PopUpRepliesOptions = {
    endpoints: { answerLink: () => orThrow(answer), onLook: () => undefined },
    decisions: {
      find: () => orThrow(found),
      markReadable: () => undefined,
      async answer(id, { choice, answers, via, channel }) {
        decided.push({ id, choice, answers, via, channel });
        return { ok: true };
      },
    },
    paths: { runtime, replies },
    env: {},
    platform: 'linux',
    channels: () => new Map([['desk', running]]),
    now: () => 1_700_000_000_000,
    newId: () => 'id',
    log: { ...silentLog, warn: (_fields, text) => void warned.push(text) },
  };
  return {
    desk,
    decided,
    warned,
    runtime,
    options,
    popUps: createPopUpReplies(options),
    /** Title, severity and text of what was reported. */
    reported: () =>
      desk.sent.map(({ notification: { title, severity, body } }) => [title, severity, body]),
    unsent: () => readdirSync(replies).map((name) => readFileSync(join(replies, name), 'utf8')),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const posted = (outcome: Extract<AnswerByLink, { type: 'posted' }>['posted']): AnswerByLink => ({
  type: 'posted',
  link,
  posted: outcome,
});

const found = (options: readonly string[]): FoundQuestion => ({
  type: 'open',
  shown: {
    question: {
      id: 'q1',
      sessionKey: 'claude:s1',
      agent: 'claude',
      agentId: null,
      tool: 'AskUserQuestion',
      requestHash: 'hash',
      callHash: null,
      hold: 'open',
      choices: ['deny', 'answer'],
      state: 'held',
      openedAt: 0,
      deadline: 1,
      answer: null,
      closedAt: null,
      reason: null,
    },
    sessionId: 's1',
    project: 'shop',
    cwd: '/home/dev/shop',
    text: 'AskUserQuestion',
    asks: [{ text: 'Which database?', options, several: false }],
    agentPid: null,
  },
});

describe('PopUpReplies.send()', () => {
  for (const [answer, title, severity, line] of [
    [posted({ type: 'sent', lines: ['To "shop"'] }), 'Your answer was sent', 'info', /To "shop"/],
    [{ type: 'empty', link }, 'Your answer was not sent', 'info', /^It is empty\.$/],
    [
      { type: 'used', link },
      'Your answer was not sent',
      'critical',
      /only one answer per message is possible/,
    ],
    [{ type: 'expired' }, 'Your answer was not sent', 'critical', /The pop-up is too old/],
    [{ type: 'unknown' }, 'Your answer was not sent', 'critical', /The pop-up is too old/],
    [
      posted({ type: 'refused', reason: 'The session is busy' }),
      'Your answer was not sent',
      'critical',
      /The session is busy/,
    ],
    [
      posted({ type: 'busy', reason: 'It is on its way' }),
      'Your answer was not sent',
      'critical',
      /It is on its way/,
    ],
    [
      posted({ type: 'unknown', reason: 'The connection broke' }),
      'Cannot determine whether your answer arrived',
      'critical',
      /The connection broke\nCheck the session before you answer again/,
    ],
  ] as const) {
    const how = answer.type === 'posted' ? answer.posted.type : answer.type;
    test(`reports an answer that ended as "${how}", and keeps the text of one that failed`, async () => {
      await using scene = await open({ answer });

      await scene.popUps.send('desk', URL_OF_LINK, 'My words');

      const [[shownTitle, shownSeverity, body] = []] = scene.reported();
      assert.deepEqual([shownTitle, shownSeverity], [title, severity]);
      assert.match(String(body), line);
      if (severity === 'info') return;
      assert.match(String(body), /^Your text is saved in "[^"]+\/unsent-2023-11-14T22-13-20-/);
      assert.deepEqual(scene.unsent(), ['My words']);
    });
  }

  test('keeps the text where the answer could not even be tried', async () => {
    await using scene = await open({ answer: new Error('The store is closed') });

    await scene.popUps.send('desk', URL_OF_LINK, 'My words');

    const [[title, severity, body] = []] = scene.reported();
    assert.deepEqual([title, severity], ['Your answer was not sent', 'critical']);
    assert.match(String(body), /^Your text is saved in [^]*See "hookbell logs"\.$/);
    assert.deepEqual(scene.unsent(), ['My words']);
  });

  test('does not claim to have kept a text that it could not keep', async () => {
    await using scene = await open({ answer: { type: 'expired' }, isBlocked: true });

    await scene.popUps.send('desk', URL_OF_LINK, 'My words');

    assert.match(String(scene.reported()[0]?.[2]), /^Your text could not be saved/);
  });

  test('logs that the outcome could not be shown, on a channel that refuses it or is gone', async () => {
    await using scene = await open({ answer: { type: 'empty', link } });
    scene.desk.answer(() => failed('No display'));

    await scene.popUps.send('desk', URL_OF_LINK, '');
    await scene.popUps.send('gone', URL_OF_LINK, '');

    const warning = 'Cannot notify about the outcome of an answer';
    assert.deepEqual(scene.warned, [warning, warning]);
  });
});

describe('PopUpReplies.decide()', () => {
  const decision: GivenDecision = {
    question: 'q1',
    requestHash: 'hash',
    choice: 'allow',
    option: null,
    words: null,
  };

  for (const [type, via] of [
    ['desktop', 'pop-up'],
    ['slack', '"desk"'],
  ] as const) {
    test(`decides by ${via} on a channel of the type "${type}", and reports nothing`, async () => {
      await using scene = await open({ type, found: { type: 'unknown' } });

      await scene.popUps.decide('desk', decision);

      assert.deepEqual(scene.decided, [
        { id: 'q1', choice: 'allow', answers: {}, via, channel: 'desk' },
      ]);
      assert.deepEqual(scene.reported(), []);
    });
  }

  test('answers with the label of the option that was pressed', async () => {
    await using scene = await open({ found: found(['SQLite', 'Postgres']) });

    await scene.popUps.decide('desk', { ...decision, choice: 'answer', option: 1 });

    assert.deepEqual(scene.decided, [
      {
        id: 'q1',
        choice: 'answer',
        answers: { 'Which database?': 'Postgres' },
        via: 'pop-up',
        channel: 'desk',
      },
    ]);
  });

  test('says so where the question has no such option', async () => {
    await using scene = await open({ found: found(['SQLite']) });

    await scene.popUps.decide('desk', { ...decision, choice: 'answer', option: 1 });

    assert.deepEqual(scene.decided, []);
    assert.deepEqual(scene.reported(), [
      ['The agent does not accept such an answer', 'info', 'Your decision was not used.'],
    ]);
  });

  test('refers to the terminal where the decision could not be made', async () => {
    await using scene = await open({ found: new Error('The store is closed') });

    await scene.popUps.decide('desk', decision);

    const [[title, severity, body] = []] = scene.reported();
    assert.deepEqual([title, severity], ['Your answer was not sent', 'critical']);
    assert.match(String(body), /Answer in the agent's terminal/);
  });
});

describe('PopUpReplies.open()', () => {
  test('leads to the command line on a machine without a browser, and removes its file at the end', async () => {
    await using scene = await open();

    await scene.popUps.open('desk', URL_OF_LINK);

    const [[title, severity, body] = []] = scene.reported();
    assert.deepEqual([title, severity], ['Cannot open the reply page', 'critical']);
    assert.match(String(body), /hookbell reply @last/);
    assert.doesNotMatch(String(body), new RegExp(TOKEN));
    assert.equal(readdirSync(scene.runtime).length, 1);
    scene.popUps.stop();
    assert.deepEqual(readdirSync(scene.runtime), []);
  });

  test('rejects for nothing, not even a link that is none', async () => {
    await using scene = await open();

    await scene.popUps.open('desk', 'no link');

    assert.deepEqual(scene.reported(), []);
    assert.deepEqual(readdirSync(scene.runtime), []);
  });
});

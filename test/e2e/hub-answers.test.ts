import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { requestHash } from '../../src/agents/support/request.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import type { ReportedQuestion } from '../../src/relay/exchange-wire.ts';
import { createLink } from '../../src/relay/link.ts';
import { readToken } from '../../src/relay/token.ts';
import { heldQuestions, permissionRequest, startAsking } from '../support/asking-hook.ts';
import type { SlackPost } from '../support/slack-post.ts';
import { until } from '../support/hookbell-home.ts';
import { type HubPair, hubPair } from '../support/hub-scene.ts';
import { personAtTerminal } from '../support/person.ts';
import { needsPostgres } from '../support/postgres.ts';
import { runProcess } from '../support/run-process.ts';
import { sampleRecord } from '../support/store.ts';
import { needs } from '../support/system-part.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const ALLOWED =
  '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}\n';

/** The post with the buttons for a request. */
async function postOf({ slack }: HubPair, words: string): Promise<SlackPost> {
  const find = (): SlackPost | undefined =>
    slack.posts.find(({ blocks }) => {
      const text = JSON.stringify(blocks);
      return text.includes(words) && text.includes('"allow"');
    });
  // After an outage of the hub its machine may rest for 30 s.
  await until(() => find() !== undefined, 60_000);
  const found = find();
  assert.ok(found);
  return found;
}

/** Presses a button; again, if the process that got it had not seen yet what the other had sent. */
async function press(
  { slack, postgres }: HubPair,
  post: SlackPost,
  ...[action, member, at]: [action: string, member?: string, at?: 'newest' | 'oldest']
): Promise<void> {
  const seen = async () =>
    JSON.stringify([slack.whispers, slack.posts, await postgres.run('SELECT count(*) FROM audit')]);
  for (;;) {
    const before = await seen();
    const whispers = slack.whispers.length;
    await slack.press(post, action, member, at);
    await until(async () => (await seen()) !== before);
    if (!(slack.whispers[whispers]?.text ?? '').includes('no longer valid')) return;
  }
}

async function rows({ postgres }: HubPair, from: string) {
  return postgres.run(`SELECT * FROM ${from}`);
}

/** All that the database stores, as text. */
async function dumpOf({ postgres }: HubPair): Promise<string> {
  const program = '/usr/lib/postgresql/15/bin/pg_dump';
  const words = [
    '-h',
    postgres.directory,
    '-U',
    'hookbell',
    '--data-only',
    '--inserts',
    'hookbell',
  ];
  const { stdout, code } = await runProcess(program, words, {
    env: { PATH: process.env['PATH'] ?? '' },
  });
  assert.equal(code, 0);
  const payloads = await postgres.run("SELECT convert_from(bytes, 'UTF8') AS text FROM payloads");
  return stdout + JSON.stringify(payloads);
}

describe(
  'answers through a hub',
  { skip: needsPostgres() || needs('tmux'), timeout: 300_000 },
  () => {
    test('a press that one process gets reaches the hook on a machine that asks the other', async () => {
      await using pair = await hubPair();
      const machine = await pair.machine('ada-laptop', 'ada@example.com');
      await machine.start();
      using asking = startAsking(machine);
      await heldQuestions(machine);
      const post = await postOf(pair, 'touch made');

      await press(pair, post, 'allow');

      const { code, printed } = await asking.ended;
      assert.deepEqual([code, printed], [0, ALLOWED]);
      await until(() => /Allowed at .* by ada@example.com/.test(JSON.stringify(post)));
      assert.deepEqual(await rows(pair, 'answers_under_way'), []);
      const [entry] = await rows(pair, "audit WHERE action = 'answer'");
      assert.match(String(entry?.['detail']), /"choice":"allow","via":"\\"team\\""/);
    });

    test('a post gets its buttons also when the machine reports its request seconds after the event', async () => {
      await using pair = await hubPair();
      const token = readToken(await pair.enrol('ada-laptop', 'ada@example.com'));
      assert.ok(token);
      const id = randomUUID();
      const payload = JSON.stringify(permissionRequest);
      const facts = { agent: 'claude' };
      const record = sampleRecord({ id, at: Date.now(), facts }, payload);
      const link = createLink({
        address: { type: 'url', secure: false, host: '127.0.0.1', port: pair.ports[0] },
        certificate: null,
        token,
        outbound: createOutbound({ env: {} }),
        now: Date.now,
        held: () => true,
      });
      const signal = AbortSignal.timeout(60_000);

      const sent = await link.send([record], signal);
      assert.deepEqual(sent, { type: 'ok', results: [{ id, verdict: 'committed' }] });
      // Longer than a hub waits for a machine that does not say whether it holds the request.
      await delay(3_000);
      assert.equal(JSON.stringify(pair.slack.posts).includes('touch made'), false);
      const held: ReportedQuestion = {
        id,
        agent: 'claude',
        agentId: null,
        tool: 'Bash',
        requestHash: requestHash(
          permissionRequest.tool_name,
          permissionRequest.tool_input,
          undefined,
        ),
        callHash: null,
        hold: 'open',
        choices: ['allow', 'deny'],
        state: 'held',
        openedAt: Date.now(),
        deadline: Date.now() + 3_600_000,
        answer: null,
        closedAt: null,
        reason: null,
      };
      const got = await link.exchange(
        { version: 1, waitMs: 0, at: Date.now(), questions: [held], outcomes: [] },
        signal,
      );
      link.close();

      assert.deepEqual(got, { type: 'ok', exchanged: { version: 1, answers: [], missing: [] } });
      await postOf(pair, 'touch made');
    });

    test("another person's press is refused, recorded, and changes nothing", async () => {
      await using pair = await hubPair();
      const machine = await pair.machine('ada-laptop', 'ada@example.com');
      await pair.enrol('eve-laptop', 'eve@example.com');
      await machine.start();
      using asking = startAsking(machine);
      await heldQuestions(machine);
      const post = await postOf(pair, 'touch made');

      await press(pair, post, 'allow', 'U0EVE');
      // No person of the hub at all.
      await press(pair, post, 'allow', 'U0EVE', 'oldest');

      await until(() =>
        pair.slack.posts.some((one) =>
          JSON.stringify(one).includes('Only the owner of the machine'),
        ),
      );
      assert.equal(asking.hook.exitCode, null);
      const [held] = await rows(pair, 'questions');
      assert.deepEqual([held?.['state'], held?.['answered_by']], ['held', null]);
      const refused = await rows(pair, "audit WHERE action = 'refuse'");
      const [eve] = await rows(pair, "people WHERE email = 'eve@example.com'");
      assert.equal(refused.length, 2);
      assert.equal(refused[0]?.['actor'], `person ${String(eve?.['id'])}`);
      assert.equal(refused[0]?.['target'], 'machine ada-laptop');
      await press(pair, post, 'deny');
      assert.match((await asking.ended).printed, /"behavior":"deny"/);
    });

    test('the administrators of a hub answer no request of a machine', async () => {
      await using pair = await hubPair();
      const machine = await pair.machine('ada-laptop', 'ada@example.com');
      await machine.start();
      using asking = startAsking(machine);
      const [held] = await heldQuestions(machine);
      const post = await postOf(pair, 'touch made');
      await using admin = await personAtTerminal(pair.hubs[0]);

      const { id: question = '', requestHash: asked = '' } = held ?? {};
      const decision = { question, requestHash: asked, choice: 'allow', atMs: 0 } as const;
      const tried = await admin.decide(decision);
      assert.deepEqual(
        [tried.accepted, tried.reason],
        [false, 'It is no longer waiting for an answer'],
      );
      assert.deepEqual(await pair.hubs[0].ask('GET /v1/questions'), []);
      assert.equal(asking.hook.exitCode, null);
      await press(pair, post, 'deny');
      assert.match((await asking.ended).printed, /"behavior":"deny"/);
    });

    test('words reach the agent, and are in no table afterwards', async () => {
      await using pair = await hubPair();
      const machine = await pair.machine('ada-laptop', 'ada@example.com');
      await machine.start();
      using asking = startAsking(machine);
      await heldQuestions(machine);
      const post = await postOf(pair, 'touch made');
      while (pair.slack.views.length === 0) {
        await pair.slack.press(post, 'words');
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      const [view] = pair.slack.views;
      assert.ok(view);

      await pair.slack.submit(view, 'Use the zebra bucket');

      assert.match((await asking.ended).printed, /"message":"Use the zebra bucket"/);
      await until(async () => (await rows(pair, 'answers_under_way')).length === 0);
      assert.match(await dumpOf(pair), /touch made/);
      assert.doesNotMatch(await dumpOf(pair), /zebra/);
    });

    test('a press at a process that is killed before the machine asks for it still reaches the agent', async () => {
      await using pair = await hubPair();
      await using proxy = await startTcpProxy(pair.ports[0]);
      const to = `http://127.0.0.1:${proxy.port}`;
      const machine = await pair.machine('ada-laptop', 'ada@example.com', to);
      await machine.start();
      using asking = startAsking(machine);
      await heldQuestions(machine);
      const post = await postOf(pair, 'touch made');

      proxy.cut();
      await press(pair, post, 'allow');
      await until(async () => (await rows(pair, 'answers_under_way')).length === 1);
      await pair.hubs[1].killDaemon();
      assert.equal(asking.hook.exitCode, null);
      proxy.mend();

      assert.deepEqual(await asking.ended, { code: 0, printed: ALLOWED });
      await until(async () => (await rows(pair, 'answers_under_way')).length === 0);
    });

    test('without the hub a request is held, and answered, as ever; the hub learns of it afterwards', async () => {
      await using pair = await hubPair();
      await using proxy = await startTcpProxy(pair.ports[0]);
      const to = `http://127.0.0.1:${proxy.port}`;
      const machine = await pair.machine('ada-laptop', 'ada@example.com', to);
      await machine.start();
      using first = startAsking(machine);
      await heldQuestions(machine);
      const post = await postOf(pair, 'touch made');

      proxy.cut();
      using second = startAsking(machine, {
        ...permissionRequest,
        session_id: 'session-b',
        tool_input: { command: 'touch other' },
      });
      await heldQuestions(machine, 2);
      await machine.hook({
        ...permissionRequest,
        hook_event_name: 'PostToolUse',
        tool_response: {},
        tool_use_id: 'a',
      });
      assert.deepEqual(await first.ended, { code: 0, printed: '' });
      proxy.mend();

      const other = await postOf(pair, 'touch other');
      await press(pair, other, 'allow');
      assert.deepEqual(await second.ended, { code: 0, printed: ALLOWED });
      await until(
        async () => (await rows(pair, "questions WHERE state = 'released'")).length === 1,
      );
      const [over] = await rows(pair, "questions WHERE state = 'released'");
      assert.equal(over?.['reason'], 'Answered in the terminal');
      await until(() => !JSON.stringify(post).includes('"allow"'));
    });

    test('a daemon of a machine that is killed takes its requests with it, and the hub says so', async () => {
      await using pair = await hubPair();
      const machine = await pair.machine('ada-laptop', 'ada@example.com');
      await machine.start();
      using asking = startAsking(machine);
      await heldQuestions(machine);
      const post = await postOf(pair, 'touch made');

      await machine.killDaemon();
      assert.deepEqual(await asking.ended, { code: 0, printed: '' });
      await machine.start();

      await until(
        async () => (await rows(pair, "questions WHERE state = 'released'")).length === 1,
      );
      await press(pair, post, 'allow');
      await until(() =>
        pair.slack.posts.some((one) => JSON.stringify(one).includes('The machine no longer waits')),
      );
      assert.deepEqual(await rows(pair, 'answers_under_way'), []);
    });

    test('a machine can neither report nor end the request of another one', async () => {
      await using pair = await hubPair();
      const machine = await pair.machine('ada-laptop', 'ada@example.com');
      await machine.start();
      const token = readToken(await pair.enrol('eve-laptop', 'eve@example.com'));
      assert.ok(token);
      using asking = startAsking(machine);
      const [held] = await heldQuestions(machine);
      await postOf(pair, 'touch made');
      const [before] = await rows(pair, 'questions');
      const link = createLink({
        address: { type: 'url', secure: false, host: '127.0.0.1', port: pair.ports[1] },
        certificate: null,
        token,
        outbound: createOutbound({ env: {} }),
        now: Date.now,
      });
      const question: ReportedQuestion = {
        id: held?.id ?? '',
        agent: 'claude',
        agentId: null,
        tool: 'Bash',
        requestHash: 'a'.repeat(64),
        callHash: null,
        hold: 'open',
        choices: ['allow', 'deny'],
        state: 'released',
        openedAt: 0,
        deadline: Date.now() + 3_600_000,
        answer: null,
        closedAt: 1,
        reason: 'Answered in the terminal',
      };
      const signal = AbortSignal.timeout(20_000);
      const common = { version: 1, waitMs: 0, at: Date.now() + 1_000 } as const;
      const outcomes = [{ question: question.id, answer: 'x', refusal: 'No' }];
      const open: ReportedQuestion = { ...question, state: 'held', closedAt: null, reason: null };

      const reports = [
        { ...common, questions: [question], outcomes },
        { ...common, questions: [open], outcomes },
        { ...common, questions: [], outcomes: [] },
      ];
      for (const report of reports) {
        const got = await link.exchange(report, signal);
        assert.deepEqual(got, {
          type: 'ok',
          exchanged: { version: 1, answers: [], missing: [] },
        });
      }
      link.close();

      assert.deepEqual(await rows(pair, 'questions'), [before]);
      assert.equal(asking.hook.exitCode, null);
    });
  },
);

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import * as fc from 'fast-check';

import { ENROL, ME, REPORT_SEEN } from '../../../src/core/hub/machine-requests.ts';
import { POLICY } from '../../../src/core/hub/machine-policy.ts';
import { EXCHANGE } from '../../../src/relay/exchange-wire.ts';
import { readToken } from '../../../src/relay/token.ts';
import { EVENTS, HELLO } from '../../../src/relay/wire.ts';
import { heldQuestions, permissionRequest, startAsking } from '../../support/asking-hook.ts';
import { projectRoot, until } from '../../support/hookbell-home.ts';
import { type HubPair, hubPair } from '../../support/hub-scene.ts';
import { askHub, type Signer, signed } from '../../support/hub-team.ts';
import { machineBodies } from '../../support/machine-bodies.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { bodiesOf } from '../../support/schema-bodies.ts';
import { rowReader, without } from '../../support/stored-rows.ts';

const RUNS = 30;
const SEED = Number(process.env['HOOKBELL_SEED'] ?? 19);
const ALLOWED = /"behavior":"allow"/;

/** What Ada knows of Bob's machine: everything. */
interface Known {
  /** Events of requests that wait there, which are their ids: one is answered, the other is not. */
  readonly answered: string;
  readonly held: string;
  /** The answer on its way. */
  readonly answer: string;
  readonly requestHash: string;
  /** Keys and ids of sessions and alerts. */
  readonly names: readonly string[];
}

interface Attempt {
  readonly path: string;
  readonly body: unknown;
}

function signerOf(text: string): Signer {
  return readToken(text.trim()) ?? assert.fail();
}

/** A request with which a machine may try to act for another one. */
function* attempts({ answered, held, answer, requestHash, names }: Known): Iterable<Attempt> {
  const theirs = {
    machine: 'bob-laptop',
    person: 'bob@example.com',
    owner: { person: 'bob@example.com', team: null },
    concerns: { id: null, email: 'bob@example.com' },
  };
  const event = (id: string, payload: object): Attempt => ({
    path: EVENTS,
    body: {
      version: 1,
      ...theirs,
      events: [
        {
          ...theirs,
          id,
          at: Date.now(),
          facts: { agent: 'claude', machine: 'bob-laptop', held: 'yes', ask: requestHash },
          payload: Buffer.from(JSON.stringify({ ...theirs, ...payload })).toString('base64'),
          held: true,
        },
      ],
    },
  });
  for (const session of names) {
    const request = { ...permissionRequest, session_id: session, sessionKey: session };
    for (const name of [
      'PermissionRequest',
      'UserPromptSubmit',
      'PostToolUse',
      'Stop',
      'SessionEnd',
    ]) {
      yield event(randomUUID(), { ...request, hook_event_name: name });
    }
  }
  for (const id of [answered, held]) {
    yield event(id, { ...permissionRequest, hook_event_name: 'Stop' });
    const by = { choice: 'deny', by: 'bob@example.com', via: 'terminal', at: Date.now() };
    for (const state of ['held', 'answered', 'confirmed', 'released', 'overtaken']) {
      const isOver = state !== 'held' && state !== 'answered';
      const question = {
        id,
        agent: 'claude',
        agentId: null,
        tool: 'Bash',
        requestHash,
        callHash: null,
        hold: 'whole',
        choices: ['allow', 'deny'],
        state,
        openedAt: 1,
        deadline: Date.now() + 600_000,
        answer: state === 'held' ? null : by,
        closedAt: isOver ? Date.now() : null,
        reason: isOver ? 'It was answered in its terminal' : null,
      };
      for (const refusal of [null, 'It is over']) {
        const outcomes = [{ question: id, answer, refusal }];
        const report = { version: 1, waitMs: 1, at: Date.now() + 60_000, outcomes };
        yield { path: EXCHANGE, body: { ...report, questions: [question], machine: 'bob-laptop' } };
      }
    }
  }
  // None of them waits any longer.
  yield {
    path: EXCHANGE,
    body: { version: 1, waitMs: 1, at: Date.now(), questions: [], outcomes: [] },
  };
  for (const sessions of [null, ...names.map((name) => [name, `../${name}`])]) {
    yield { path: REPORT_SEEN, body: { sessions } };
  }
  const settings = { channels: [], timezone: 'UTC' };
  for (const body of [
    { type: 'set', settings },
    { type: 'mute', forMs: null },
    { type: 'unmute' },
  ]) {
    yield { path: ME, body };
    yield { path: ME, body: { ...body, person: 'bob@example.com' } };
    yield { path: ME, body: { ...body, email: 'bob@example.com', machine: 'bob-laptop' } };
  }
  yield { path: POLICY, body: { version: 1, policy: { text: 'none' }, ...theirs } };
}

/** The paths of requests of machines that the source names. */
async function machinePaths(): Promise<readonly string[]> {
  const folders = ['core/hub', 'relay', 'hub', 'daemon/hub'].map((name) =>
    join(projectRoot, 'src', name),
  );
  const files = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
  );
  const texts = await Promise.all(files.flat().map((file) => readFile(file, 'utf8')));
  return texts.flatMap((text) => text.match(/(?<=')\/v1\/[\w/-]+(?=')/g) ?? []);
}

/** Presses until the process that got it has seen the request. */
async function allow({ slack, postgres }: HubPair, words: string): Promise<void> {
  const find = () =>
    slack.posts.findLast(({ channel, blocks }) => {
      const text = JSON.stringify(blocks);
      return channel === 'C0TEAM' && text.includes(words) && text.includes('"allow"');
    });
  await until(() => find() !== undefined, 60_000);
  const post = find() ?? assert.fail();
  const given = async () =>
    (await postgres.run("SELECT 1 FROM audit WHERE action = 'answer'")).length;
  const before = await given();
  while ((await given()) === before) {
    const whispers = slack.whispers.length;
    await slack.press(post, 'allow', 'U0BOB');
    await until(async () => (await given()) !== before || slack.whispers.length > whispers);
  }
}

/** What the hub has of Bob's machine. */
async function knownOf({ postgres }: HubPair): Promise<Known> {
  const [under] = await postgres.run('SELECT * FROM answers_under_way');
  const [held] = await postgres.run("SELECT * FROM questions WHERE state = 'held'");
  const sessions = await postgres.run('SELECT key, session_id FROM sessions');
  const alerts = await postgres.run('SELECT id FROM alerts');
  const keys = sessions.map(({ key }) => String(key));
  return {
    answered: String(under?.['question_id']),
    held: String(held?.['id']),
    answer: String(under?.['answer_id']),
    requestHash: String(held?.['request_hash']),
    names: [
      ...keys,
      ...keys.map((key) => key.replace('bob-laptop/', '')),
      ...sessions.map(({ session_id: id }) => String(id)),
      ...alerts.map(({ id }) => String(id)),
      'bob-laptop',
      'bob@example.com',
    ],
  };
}

/** Numbers about everyone, and what belongs to an event whose row is looked at. */
function isShared(row: string): boolean {
  const isCount = /^(?:payloads|attempts|counter_shards|counters|limits|channel_states) /.test(row);
  return isCount || row.includes('"reason\\":\\"too many enrolments');
}

/** The messages to Bob alone. */
function toBob({ slack }: HubPair): readonly string[] {
  return slack.posts
    .filter(({ channel }) => channel === 'D0U0BOB')
    .map((post) => JSON.stringify(post));
}

async function codeFor({ hubs }: HubPair, email: string): Promise<string> {
  return (await hubs[0].ask('POST /v1/hub-invite', { body: { email } })).code;
}

test(
  'no request of a machine makes another one act, or changes or reads what belongs to its person',
  { skip: needsPostgres() },
  async () => {
    await using pair = await hubPair('', { isPersonal: true });
    const { postgres, ports } = pair;
    const ada = signerOf(await pair.enrol('ada-laptop', 'ada@example.com'));
    const bobs = await pair.machine('bob-laptop', 'bob@example.com');
    const bob = signerOf(await readFile(join(bobs.home, 'relay-token'), 'utf8'));
    const { pid } = await bobs.start();
    assert.ok(pid !== undefined);
    let turn = 0;
    async function send(signer: Signer, { path, body }: Attempt) {
      const request = { method: 'POST', path, body: JSON.stringify(body) };
      for (;;) {
        turn += 1;
        const asked = path === ENROL ? request : signed(signer, request);
        const hub = { port: ports[turn % 2 === 0 ? 0 : 1], isPlain: true };
        const answer = await askHub(hub, asked);
        if (answer.status !== 429 || path === ENROL) return answer;
        // It may send only so many in a burst.
        await delay(500);
      }
    }

    const requests = { one: { command: 'touch one' }, two: { command: 'touch two' } };
    const asks = (name: keyof typeof requests) =>
      startAsking(bobs, {
        ...permissionRequest,
        session_id: `session-${name}`,
        tool_input: requests[name],
      });
    using first = asks('one');
    using second = asks('two');
    await heldQuestions(bobs, 2);
    await send(bob, { path: ME, body: { type: 'mute', forMs: 3_600_000 } });
    await send(bob, { path: ME, body: { type: 'set', settings: { timezone: 'Europe/Berlin' } } });
    await pair.hubs[0].ask('POST /v1/hub-policy', { body: { redact: true } });
    await until(async () => (await postgres.run('SELECT 1 FROM questions')).length === 2);
    // Bob's machine does nothing more for now, so that whatever changes is Ada's doing.
    process.kill(pid, 'SIGSTOP');
    try {
      await allow(pair, 'touch one');
      await until(
        async () =>
          (await postgres.run('SELECT 1 FROM answers_under_way WHERE handed_at > 0')).length === 1,
      );
      const read = await rowReader((sql) => postgres.run(sql));
      let former = await read();
      await until(async () => {
        await delay(700);
        const before = former;
        former = await read();
        return without(before, former).length + without(former, before).length === 0;
      }, 60_000);
      const known = await knownOf(pair);
      const [person] = await postgres.run("SELECT id FROM people WHERE email = 'ada@example.com'");
      const ofAda = ['ada-laptop', 'ada@example.com', String(person?.['id'])];
      const isOfAda = (row: string): boolean => ofAda.some((name) => row.includes(name));
      const messages = toBob(pair);

      const paths = new Set<string>();
      const answers: string[] = [];
      async function tryIt(attempt: Attempt): Promise<void> {
        paths.add(attempt.path);
        const { status, body } = await send(ada, attempt);
        answers.push(`${attempt.path} ${status}`);
        assert.ok([200, 400, 403, 409, 429].includes(status), `${attempt.path}: ${status} ${body}`);
        assert.doesNotMatch(body, /bob@example|Berlin|touch one|"choice"/, attempt.path);
      }
      for (const attempt of attempts(known)) await tryIt(attempt);
      const key = '1'.repeat(64);
      const code = await codeFor(pair, 'ada@example.com');
      await tryIt({ path: ENROL, body: { version: 1, code, machine: 'bob-laptop', key } });
      assert.equal(answers.at(-1), `${ENROL} 409`);
      const texts = [...known.names, known.answered, known.held, known.answer, known.requestHash];
      for (const [path, schema] of machineBodies) {
        for (const body of fc.sample(bodiesOf(schema, texts), { numRuns: RUNS, seed: SEED })) {
          await tryIt({ path, body });
        }
      }
      assert.deepEqual(
        [...paths].toSorted(),
        (await machinePaths()).filter((path) => path !== HELLO).toSorted(),
      );
      for (const path of [EVENTS, EXCHANGE, REPORT_SEEN, ME, POLICY]) {
        assert.ok(answers.includes(`${path} 200`), `no request for ${path} was in order`);
      }

      // Also what is only about to be sent.
      await until(
        async () =>
          (
            await postgres.run(
              "SELECT 1 FROM deliveries WHERE state = 'pending' AND held_for IS NULL",
            )
          ).length === 0,
        60_000,
      );
      const later = await read();
      const lost = without(former, later).filter((row) => !isShared(row) && !isOfAda(row));
      assert.deepEqual(lost, []);
      const fresh = without(later, former).filter((row) => !isShared(row));
      assert.deepEqual(
        fresh.filter((row) => !isOfAda(row)),
        [],
      );
      assert.ok(fresh.some((row) => row.includes('"recipient": "ada@example.com"')));
      assert.ok(!fresh.some((row) => row.includes('"recipient": "bob@example.com"')));
      assert.deepEqual(toBob(pair), messages);
    } finally {
      process.kill(pid, 'SIGCONT');
    }

    // Bob's answers arrive where they belong.
    assert.match((await first.ended).printed, ALLOWED);
    assert.equal(second.hook.exitCode, null);
    const open = (await bobs.ask('GET /v1/questions')).filter(({ state }) => state === 'held');
    assert.equal(open.length, 1);
    const shown = await send(bob, { path: ME, body: { type: 'show' } });
    assert.match(shown.body, /bob@example\.com.*Berlin/);
    await allow(pair, 'touch two');
    assert.match((await second.ended).printed, ALLOWED);
  },
);

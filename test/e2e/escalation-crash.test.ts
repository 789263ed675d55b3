import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import type { HistoryEntry } from '../../src/core/history.ts';
import type { Store } from '../../src/core/store.ts';
import { readLines } from '../support/file-channel-home.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import type { HttpEndpoint } from '../support/http-endpoint.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import { chooseSeed, rounds, seededRandom } from '../support/seeded-random.ts';
import { storeAt } from '../support/store.ts';

const KILLS = rounds(6);
const QUESTIONS_A_ROUND = 3;
/** How long messages in flight at the answer may still arrive, ms. */
const IN_FLIGHT_MS = 500;

/** One channel a step, so that a message says which step it is; people read "team" and "boss". */
const stepChannels = ['now', 'team', 'late', 'boss'] as const;

function configOf(home: string, { url }: HttpEndpoint): string {
  const slack = (path: string): string =>
    `{ type: slack, webhook: "${url}/${path}", allow_any_host: true, rate: { burst: 100, every: 10ms } }`;
  return `
channels:
  now: { type: file, path: ${join(home, 'now.jsonl')} }
  team: ${slack('team')}
  late: { type: file, path: ${join(home, 'late.jsonl')} }
  boss: ${slack('boss')}
plans:
  escalate:
    - { after: 0s, notify: now }
    - { after: 1s, notify: team }
    - { after: 2s, notify: late }
    - { after: 3s, notify: boss }
routes: [{ match: { kind: waiting }, plan: escalate }, { match: {}, plan: none }]
noise: { burst: { at_once: 1000, window: 1ms }, per_session: 1000, per_channel: 1000 }
`;
}

async function ask(place: HookbellHome, session: string): Promise<void> {
  const message = `Claude needs your permission (${session})`;
  await place.hook({ session_id: session, hook_event_name: 'Notification', cwd: '/tmp', message });
}

async function answer(place: HookbellHome, session: string): Promise<void> {
  const prompt = { hook_event_name: 'UserPromptSubmit', cwd: '/tmp', prompt: 'Yes' };
  await place.hook({ session_id: session, ...prompt });
}

/** How often each session's question arrived at each channel: "team s3-1". */
async function arrivals(
  { home }: HookbellHome,
  endpoint: HttpEndpoint,
): Promise<ReadonlyMap<string, number>> {
  const lines = await Promise.all(
    ['now', 'late'].map(async (name) =>
      (await readLines(join(home, `${name}.jsonl`))).map(({ body }) => [name, body] as const),
    ),
  );
  const posts = endpoint.requests.map(({ path, body }) => [path.slice(1), body] as const);
  const counts = new Map<string, number>();
  for (const [channel, text] of [...lines.flat(), ...posts]) {
    const key = `${channel} ${/\((s[\d-]+)\)/.exec(text)?.[1]}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

async function untilNothingIsPending(place: HookbellHome): Promise<void> {
  try {
    await until(async () => {
      const { spool, deliveries } = await place.ask('GET /v1/status');
      return spool.pending === 0 && deliveries.pending === 0;
    });
  } catch (cause) {
    const left = await place.ask('GET /v1/queue', { query: { state: 'pending,retrying' } });
    throw new Error(`Left after all: ${JSON.stringify(left)}`, { cause });
  }
}

/** The question of each session and, where there is one, its answer. */
async function conversations(
  store: Store,
): Promise<ReadonlyMap<string, { question: HistoryEntry; answer: HistoryEntry | null }>> {
  const history = await store.history.list({ limit: 10_000 });
  return new Map(
    history
      .filter(({ event }) => event.kind !== 'prompt')
      .map((question) => {
        const { sessionId } = question.event;
        const found = history.find(
          ({ event }) => event.kind === 'prompt' && event.sessionId === sessionId,
        );
        return [sessionId ?? '', { question, answer: found ?? null }];
      }),
  );
}

test('a daemon killed at random moments of many escalations skips no step, marks what it may have sent twice, and notifies no one after the answer', async (t) => {
  const seed = chooseSeed();
  t.diagnostic(`HOOKBELL_SEED=${seed}`);
  const random = seededRandom(seed);
  await using endpoint = await openHttpEndpoint();
  await using place = await hookbellHome();
  await place.writeConfig(configOf(place.home, endpoint));
  const unanswered: string[] = [];
  const answered: string[] = [];

  for (let round = 0; round < KILLS; round += 1) {
    await place.start();
    const asked = Array.from({ length: QUESTIONS_A_ROUND }, (_, number) => `s${round}-${number}`);
    await Promise.all(asked.map((session) => ask(place, session)));
    unanswered.push(...asked);
    await delay(random() * 900);
    // An older one that is in the middle of its steps, or a new one.
    const [chosen] = unanswered.splice(Math.max(0, unanswered.length - 1 - (round % 5)), 1);
    const reply = answer(place, chosen ?? '');
    answered.push(chosen ?? '');
    await delay(random() * 60);
    await place.killDaemon();
    await reply;
  }
  await place.start();
  await untilNothingIsPending(place);
  await place.killDaemon();

  const counts = await arrivals(place, endpoint);
  await using opened = await storeAt(place.paths.database, { now: () => Date.now() });
  const known = await conversations(opened.store);
  assert.deepEqual([...known.keys()].toSorted(), [...unanswered, ...answered].toSorted());
  let copies = 0;
  for (const [session, { question, answer: reply }] of known) {
    assert.equal(reply !== null, answered.includes(session), session);
    for (const [step, channel] of stepChannels.entries()) {
      const one = question.deliveries.find((delivery) => delivery.channel === channel);
      const count = counts.get(`${channel} ${session}`) ?? 0;
      const told = `${session}, step ${step}, ${count} times: ${one?.state}, ${one?.reason}`;
      assert.ok(one?.state === 'sent' || one?.state === 'cancelled', told);
      if (count > 1) assert.ok(one.possibleDuplicate, told);
      copies += Math.max(0, count - 1);
      if (one.state === 'sent') assert.ok(count > 0, told);
      else if (reply === null) assert.match(one.reason ?? '', /a later step is also due$/, told);
      else assert.notEqual(one.reason, null, told);
      if (reply === null || !['team', 'boss'].includes(channel)) continue;
      for (const { startedAt } of one.log) {
        assert.ok(startedAt <= reply.event.receivedAt + IN_FLIGHT_MS, told);
      }
    }
    const last = question.deliveries.find(({ channel }) => channel === 'boss');
    if (reply === null) assert.equal(last?.state, 'sent', session);
  }
  t.diagnostic(`${copies} messages came twice in ${KILLS} kills`);
  assert.ok(copies <= KILLS * stepChannels.length);

  const live = await opened.store.alerts.live();
  assert.deepEqual(
    live.map(({ sessionKey }) => sessionKey.split(':')[1] ?? '').toSorted(),
    unanswered.toSorted(),
  );
  const ends = live.map(({ expiresAt }) => expiresAt);
  assert.ok(ends.every((end) => end > Date.now()));
  assert.equal(await opened.store.held.nextTimer(), Math.min(...ends));
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { type Key, startAgent } from '../support/agent-with-prompt.ts';
import { until } from '../support/hookbell-home.ts';
import { hubPair } from '../support/hub-scene.ts';
import { needsPostgres } from '../support/postgres.ts';
import { chooseSeed, rounds, seededRandom } from '../support/seeded-random.ts';

/** Number of concurrently waiting agents, and of rounds. */
const AGENTS = 10;
const ROUNDS = rounds(3);
/** The terminal and two presses come within this, ms. */
const WITHIN_MS = 400;

test(
  'the terminal and presses at two processes of a hub race for each request: one decision each, the same for all',
  { skip: needsPostgres(), timeout: 400_000 },
  async (t) => {
    const seed = chooseSeed();
    t.diagnostic(`HOOKBELL_SEED=${seed}`);
    const random = seededRandom(seed);
    await using pair = await hubPair();
    const { slack, postgres } = pair;
    const machine = await pair.machine('ada-laptop', 'ada@example.com');
    await machine.start();
    const won = { terminal: 0, hook: 0 };
    const lookLate: string[] = [];

    for (let round = 0; round < ROUNDS; round += 1) {
      const names = Array.from({ length: AGENTS }, (_, index) => `made-${round}-${index}-`);
      const agents = names.map((name) => ({ name, ...startAgent(machine, name) }));
      const postOf = (name: string) =>
        slack.posts.find(({ blocks }) => {
          const text = JSON.stringify(blocks);
          return text.includes(`touch ${name}`) && text.includes('"allow"');
        });
      await until(() => names.every((name) => postOf(name) !== undefined), 30_000);
      // Each process sees within a second what the other has sent.
      await delay(2_500);

      const keys = await Promise.all(
        agents.map(async (agent) => {
          const key: Key = random() < 0.5 ? 'yes' : 'no';
          const post = postOf(agent.name);
          assert.ok(post);
          await Promise.all([
            delay(random() * WITHIN_MS).then(() => agent.press(key)),
            delay(random() * WITHIN_MS).then(() => slack.press(post, 'allow', 'U0ADA', 'newest')),
            delay(random() * WITHIN_MS).then(() => slack.press(post, 'deny', 'U0ADA', 'oldest')),
          ]);
          return key;
        }),
      );
      // The hook has ended, or the terminal has taken the prompt away.
      await until(() => agents.every((agent) => agent.decided() !== null), 30_000);
      for (const agent of agents) await agent.finish();
      await until(async () => (await machine.ask('GET /v1/questions')).length === 0, 30_000);
      await until(async () => {
        const [open] = await postgres.run(
          'SELECT count(*)::int AS count FROM questions WHERE closed_at IS NULL',
        );
        return open?.['count'] === 0;
      }, 30_000);

      const listed = await machine.cli('answer', '--list', '--json');
      const own: { id: string; state: string; outcome: string }[] = JSON.parse(listed.stdout);
      const atHub = await postgres.run(
        `SELECT questions.id, state, choice, convert_from(bytes, 'UTF8') AS payload FROM questions
        JOIN events ON events.id = questions.id JOIN payloads ON event_seq = seq`,
      );
      for (const [index, agent] of agents.entries()) {
        const row = atHub.find(({ payload }) => String(payload).includes(`touch ${agent.name}`));
        const question = own.find(({ id }) => id === row?.['id']);
        const decided = agent.decided();
        const story = JSON.stringify({
          key: keys[index],
          decided,
          row,
          question,
          printed: agent.printed(),
        });
        assert.ok(row !== undefined && question !== undefined && decided !== null, story);
        won[decided] += 1;
        const choice = agent.printed().includes('"allow"') ? 'allow' : 'deny';
        const isAllowed = decided === 'terminal' ? keys[index] === 'yes' : choice === 'allow';
        assert.equal(agent.isMade(), isAllowed, story);
        assert.ok(agent.printed().split('\n').length <= 2, story);
        // An answer that lost at the machine is one that the machine does not know.
        const isLost = row['state'] === 'overtaken' && question.state === 'released';
        assert.ok(row['state'] === question.state || isLost, story);
        if (decided === 'hook') {
          assert.equal(row['choice'], choice, story);
          const isRecorded = choice === 'allow' ? /^Allowed/ : /^Denied/;
          // The start of a call is known to a millisecond or so: an answer that was faster looks late.
          if (!isRecorded.test(question.outcome)) lookLate.push(story);
        }
      }
    }

    const [left] = await postgres.run('SELECT count(*)::int AS count FROM answers_under_way');
    assert.equal(left?.['count'], 0);
    t.diagnostic(JSON.stringify(won));
    assert.ok(won.terminal > 0 && won.hook > 0);
    assert.ok(lookLate.length <= won.hook / 5, lookLate.join('\n'));
  },
);

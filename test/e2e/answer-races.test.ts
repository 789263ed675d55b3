import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { type Key, startAgent } from '../support/agent-with-prompt.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { personAtTerminal } from '../support/person.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { needs } from '../support/system-part.ts';

const RACES = 100;
/** The terminal and the person decide within this of each other, ms. */
const WITHIN_MS = 50;
test(
  'the terminal and a person decide within 50 ms of each other, 100 times: one decision each',
  { skip: needs('tmux', 'script'), timeout: 300_000 },
  async (t) => {
    const seed = chooseSeed();
    t.diagnostic(`HOOKBELL_SEED=${seed}`);
    const random = seededRandom(seed);
    await using home = await hookbellHome();
    await home.start();
    await using person = await personAtTerminal(home);
    const won = { terminal: 0, hook: 0 };

    for (let index = 0; index < RACES; index += 1) {
      const agent = startAgent(home, `made-${index}`);
      const waiting = () => home.ask('GET /v1/questions');
      await until(async () => (await waiting()).length === 1);
      const [question] = await waiting();
      assert.ok(question);
      const choice = random() < 0.5 ? 'allow' : 'deny';
      const key: Key = random() < 0.5 ? 'yes' : 'no';
      const { id, requestHash } = question;
      const atMs = Date.now() + WITHIN_MS / 2;
      const decision = person.decide({ question: id, requestHash, choice, atMs });
      await delay(random() * 2 * WITHIN_MS);
      agent.press(key);
      const { accepted, reason } = await decision;
      if (accepted) await agent.ended;
      await agent.finish();
      await until(async () => (await waiting()).length === 0);

      const decided = agent.decided();
      const story = JSON.stringify({
        index,
        choice,
        key,
        decided,
        accepted,
        reason,
        printed: agent.printed(),
      });
      assert.ok(decided === 'terminal' || decided === 'hook', story);
      won[decided] += 1;
      const isAllowed = decided === 'terminal' ? key === 'yes' : choice === 'allow';
      assert.equal(agent.isMade(), isAllowed, story);
      assert.ok(agent.printed() === '' || accepted, `a decision without a person: ${story}`);
      if (decided === 'hook') assert.ok(agent.printed().includes(`"${choice}"`), story);
      if (!accepted)
        assert.match(
          reason ?? '',
          /^(?:Answered|Denied) in the terminal|^The agent is no longer waiting|^Its hook ended/,
          story,
        );
    }

    t.diagnostic(JSON.stringify(won));
    assert.ok(won.terminal > 0 && won.hook > 0);
  },
);

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { heldQuestions, permissionRequest, startAsking } from '../../support/asking-hook.ts';
import { until } from '../../support/hookbell-home.ts';
import { type HubPair, hubPair } from '../../support/hub-scene.ts';
import { needsPostgres } from '../../support/postgres.ts';
import type { SlackPost } from '../../support/slack-post.ts';

const skip = needsPostgres();

/** The newest post with the buttons for a request. */
async function postOf({ slack }: HubPair, words = 'touch made'): Promise<SlackPost> {
  const find = () =>
    slack.posts.findLast(({ blocks }) => {
      const text = JSON.stringify(blocks);
      return text.includes(words) && text.includes('"allow"');
    });
  await until(() => find() !== undefined, 60_000);
  return find() ?? assert.fail();
}

async function audited({ postgres }: HubPair, action: string): Promise<readonly string[]> {
  const rows = await postgres.run(
    `SELECT email, target FROM audit LEFT JOIN people ON actor = 'person ' || id WHERE action = '${action}' ORDER BY seq`,
  );
  return rows.map(({ email, target }) => `${String(email)} to ${String(target)}`);
}

/** Presses until the process that got it has seen the request. */
async function press(pair: HubPair, post: SlackPost, member: string): Promise<void> {
  const seen = async () =>
    JSON.stringify([await audited(pair, 'answer'), await audited(pair, 'refuse')]);
  const before = await seen();
  for (;;) {
    const whispers = pair.slack.whispers.length;
    await pair.slack.press(post, 'allow', member);
    await until(async () => (await seen()) !== before || pair.slack.whispers.length > whispers);
    if (!(pair.slack.whispers[whispers]?.text ?? '').includes('no longer valid')) break;
  }
  await until(async () => (await seen()) !== before);
}

test(
  'a rule of hub.answers.allow lets one person answer for another, and not the other way round',
  { skip },
  async () => {
    await using pair = await hubPair(
      '  answers: { allow: [{ by: { person: eve@example.com }, for: { person: ada@example.com } }] }',
    );
    const adas = await pair.machine('ada-laptop', 'ada@example.com');
    const eves = await pair.machine('eve-laptop', 'eve@example.com');
    await adas.start();

    using asking = startAsking(adas);
    await heldQuestions(adas);
    await press(pair, await postOf(pair), 'U0EVE');
    assert.match((await asking.ended).printed, /"behavior":"allow"/);
    assert.deepEqual(await audited(pair, 'answer'), ['eve@example.com to machine ada-laptop']);
    const [answered] = await pair.postgres.run('SELECT answered_by FROM questions');
    assert.equal(answered?.['answered_by'], 'eve@example.com');

    await eves.start();
    using other = startAsking(eves);
    await heldQuestions(eves);
    const post = await postOf(pair);
    await press(pair, post, 'U0ADA');
    assert.deepEqual(await audited(pair, 'refuse'), ['ada@example.com to machine eve-laptop']);
    assert.equal(other.hook.exitCode, null);
    await press(pair, post, 'U0EVE');
    assert.match((await other.ended).printed, /"behavior":"allow"/);
  },
);

test(
  'hub.answers.channels names who answers in a channel, and no one else may, even if they press there',
  { skip },
  async () => {
    await using pair = await hubPair('  answers: { channels: { team: eve@example.com } }');
    const adas = await pair.machine('ada-laptop', 'ada@example.com');
    const eves = await pair.machine('eve-laptop', 'eve@example.com');
    await adas.start();
    using asking = startAsking(adas);
    await heldQuestions(adas);

    // Ada, in a channel that the configuration says only Eve uses.
    await press(pair, await postOf(pair), 'U0ADA');

    assert.deepEqual(await audited(pair, 'refuse'), ['eve@example.com to machine ada-laptop']);
    assert.equal(asking.hook.exitCode, null);
    await eves.start();
    const tool = { command: 'rm made' };
    using other = startAsking(eves, { ...permissionRequest, tool_input: tool });
    await heldQuestions(eves);
    await press(pair, await postOf(pair, 'rm made'), 'U0ADA');
    assert.match((await other.ended).printed, /"behavior":"allow"/);
    assert.deepEqual(await audited(pair, 'answer'), ['eve@example.com to machine eve-laptop']);
  },
);

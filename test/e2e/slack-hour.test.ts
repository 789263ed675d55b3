import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { putEnvelope } from '../support/envelopes.ts';
import { fakeTokens, startFakeSlack } from '../support/fake-slack.ts';
import { hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { chooseSeed, rounds, seededRandom } from '../support/seeded-random.ts';
import { createSlackRateLimits } from '../support/slack-rate-limits.ts';

/** The daemon's time and that of the fake Slack pass this much faster: twenty minutes take 40 s. */
const SPEED = 30;
const SESSIONS = 100;
/** Slack's limits are those of a minute. */
const SPAN_MS = rounds(20) * 60_000;
/** A call may have been made this long before the 429 to another one arrived, on a busy machine, ms of Slack's time. */
const UNDER_WAY_MS = 400 * SPEED;
/** From one request of a session to its next one, ms. */
const ROUND_MS = 800_000;

test(
  '100 sessions stay within the limits of Slack: each 429 is heeded, nothing is lost or posted twice',
  {
    timeout: 420_000,
  },
  async (t) => {
    const seed = chooseSeed();
    t.diagnostic(`HOOKBELL_SEED=${seed}`);
    const random = seededRandom(seed);
    const start = Date.now();
    const now = (): number => start + (Date.now() - start) * SPEED;
    const limits = createSlackRateLimits(now, UNDER_WAY_MS);
    await using slack = await startFakeSlack({ limits });
    await using place = await hookbellHome();
    await place.writeConfig(`
channels:
  team:
    type: slack
    server: ${slack.server}
    bot_token: { env: SLACK_BOT_TOKEN }
    app_token: { env: SLACK_APP_TOKEN }
    to: C0TEAM
    members: ['T0FAKE:U0ADA']
routes: [{ match: {}, notify: [team] }]
noise: { burst: { at_once: 1000, window: 1ms }, per_session: 1000, per_channel: 1000 }
alerts: { settle: 0 }
`);
    Object.assign(place.env, {
      SLACK_BOT_TOKEN: fakeTokens.bot,
      SLACK_APP_TOKEN: fakeTokens.app,
      HOOKBELL_TEST_SPEED: String(SPEED),
      HOOKBELL_TEST_START: String(start),
    });
    const clock = join(projectRoot, 'dist/test/support/fast-clock.js');
    await place.start(['--import', clock]);
    const { spool } = place.paths;
    await mkdir(spool, { recursive: true });

    async function tell(session: number, event: object): Promise<void> {
      const common = { session_id: `s${session}`, cwd: `/home/dev/project${session % 7}` };
      await putEnvelope(spool, { ...common, ...event }, { facts: { agent: 'claude' } });
    }
    const acts: { readonly at: number; readonly act: () => Promise<void> }[] = [];
    for (let session = 0; session < SESSIONS; session += 1) {
      for (let at = random() * ROUND_MS; at < SPAN_MS; at += ROUND_MS) {
        const answeredAt = at + 5_000 + random() * 60_000;
        const request = { tool_name: 'Bash', tool_input: { command: 'npm test' } };
        const events = [
          [at, { hook_event_name: 'PermissionRequest', ...request }],
          [answeredAt, { hook_event_name: 'PostToolUse', ...request, tool_response: {} }],
          [answeredAt + 30_000, { hook_event_name: 'Stop', last_assistant_message: 'Done' }],
        ] as const;
        for (const [due, event] of events) acts.push({ at: due, act: () => tell(session, event) });
      }
    }
    // Something else uses up the limits of the same app every five minutes.
    for (let at = 60_000; at < SPAN_MS; at += 300_000) {
      const act = async (): Promise<void> => {
        for (const method of ['chat.postMessage', 'chat.update']) limits.use(method, 'C0TEAM');
        await Promise.resolve();
      };
      acts.push({ at, act });
    }
    for (const { at, act } of acts.toSorted((one, other) => one.at - other.at)) {
      const waitMs = (start + at - now()) / SPEED;
      if (waitMs > 0) await delay(waitMs);
      await act();
    }
    await until(async () => {
      const { spool: left, deliveries } = await place.ask('GET /v1/status');
      return left.pending === 0 && deliveries.pending === 0;
    });
    // The last changes of messages follow at their own pace.
    for (let before = -1; before !== (slack.calls['chat.update'] ?? 0);) {
      before = slack.calls['chat.update'] ?? 0;
      await delay(3_000);
    }

    t.diagnostic(`calls ${JSON.stringify(slack.calls)}, 429 ${JSON.stringify(limits.refused)}`);
    assert.deepEqual(Object.keys(limits.refused).toSorted(), ['chat.postMessage', 'chat.update']);
    assert.deepEqual(limits.unheeded, {});
    const { deliveries } = await place.ask('GET /v1/status');
    assert.equal(deliveries.dead, 0);
    const marks = slack.posts.map(({ metadata }) => JSON.stringify(metadata));
    assert.equal(new Set(marks).size, marks.length, 'something was posted twice');
    const roots = slack.posts.filter(({ thread }) => thread === null);
    assert.equal(roots.length, SESSIONS);
  },
);

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Policy } from '../../src/core/policy.ts';
import { samplePolicy, sampleStep } from '../support/decisions.ts';
import type { Row } from '../support/played.ts';
import { played } from '../support/played.ts';
import type { Timeline } from '../support/timeline.ts';
import { idle, permission, prompt, START, stop, timeline, toolDone } from '../support/timeline.ts';

const NEAR_MS = 700;
const FAR_MS = 10_000;
const settling: Policy = {
  ...samplePolicy,
  plans: { all: { name: 'all', steps: [sampleStep(['desktop', 'team', 'log'])] } },
  routes: [{ name: 'waiting', match: { severity: ['warning'] }, plan: 'all', also: false }],
  settleDelayMs: { desktop: NEAR_MS, team: FAR_MS },
};

/** What was sent within a minute after the last event, but for the log. */
async function sentBy(line: Timeline): Promise<readonly string[]> {
  await line.simulation.finish();
  return line.sent().filter((one) => !one.startsWith('log@'));
}

/** When the request of the session "real-7" was made, Unix ms: at second 7.5. */
function openedAt(session: string | null): number {
  return START + Number(session?.slice('real-'.length)) * 1_000 + 500;
}

const bash = { tool_name: 'Bash', tool_input: { command: 'npm test' } };
const openCode = { properties: { sessionID: 's', permission: 'bash', patterns: ['npm test'] } };

/** Requests that agents report and answer by themselves, as they send them. */
const answeredByThemselves: readonly Omit<Row, 'rings'>[] = [
  {
    name: 'OpenCode: a permission that `opencode run` refuses',
    agent: 'opencode',
    sent: [
      [0, 'permission.asked', openCode],
      [0.02, 'permission.replied', { properties: { sessionID: 's', reply: 'reject' } }],
    ],
  },
  {
    name: 'E14: Copilot: a permission that `copilot -p` refuses',
    agent: 'copilot',
    sent: [
      [0, 'notification', { notification_type: 'permission_prompt', message: 'Run a command?' }],
      [0.1, 'postToolUseFailure', { toolName: 'bash', error: 'Permission denied' }],
    ],
  },
  {
    name: 'Qwen: a permission that a hook gives, and the notification of it',
    agent: 'qwen',
    sent: [
      [0, 'PermissionRequest', bash],
      [0.01, 'Notification', { notification_type: 'permission_prompt', message: 'Bash' }],
      [0.4, 'PostToolUse', bash],
    ],
  },
  {
    name: 'Qwen: a notification of a permission that a hook gives, where only that is registered',
    agent: 'qwen',
    sent: [
      [0, 'Notification', { notification_type: 'permission_prompt', message: 'Bash' }],
      [0.4, 'PostToolUse', bash],
    ],
  },
  {
    name: 'Codex: a permission that its reviewer gives',
    agent: 'codex',
    sent: [
      [0, 'PermissionRequest', bash],
      [0.6, 'PostToolUse', bash],
    ],
  },
  {
    name: 'Gemini: a permission that a mode gives',
    agent: 'gemini',
    sent: [
      [0, 'Notification', { notification_type: 'ToolPermission', message: 'Run?' }],
      [0.3, 'AfterTool', { tool_name: 'run_shell_command' }],
    ],
  },
];

describe('a request settles before channels get it', () => {
  test('100 requests answered immediately notify nowhere, and 100 open ones notify once on each channel', async () => {
    await using line = await timeline(settling);
    for (let number = 0; number < 100; number += 1) {
      await line.at(number, permission('npm test', `phantom-${number}`));
      await line.at(number + 0.04, toolDone(`phantom-${number}`));
      await line.at(number + 0.5, permission('npm publish', `real-${number}`));
    }

    await line.simulation.finish();
    const told = line.simulation.sent().filter(({ channel }) => channel !== 'log');
    const delays = (name: string): readonly number[] =>
      told.flatMap(({ channel, at, sessionId }) =>
        channel === name ? [at - openedAt(sessionId)] : [],
      );
    assert.deepEqual(
      told.filter(({ sessionId }) => sessionId?.startsWith('phantom') === true),
      [],
    );
    assert.deepEqual(
      delays('desktop'),
      Array.from({ length: 100 }, () => NEAR_MS),
    );
    assert.deepEqual(
      delays('team'),
      Array.from({ length: 100 }, () => FAR_MS),
    );
  });

  test('one that is answered after the near channels and before the far ones notifies only the near ones', async () => {
    await using line = await timeline(settling);

    await line.at(0, permission('npm test'));
    await line.at(5, toolDone());

    assert.deepEqual(await sentBy(line), ['desktop@0.7']);
  });

  test('records that it waits, and sends it to record channels immediately', async () => {
    await using line = await timeline(settling);
    await line.at(0, permission('npm test'));

    const [first] = line.simulation.sent();
    assert.ok(first);
    assert.deepEqual([first.channel, first.at], ['log', START]);
    const reasons = (await line.simulation.decisions(first.eventId)).map(({ reason }) => reason);
    assert.ok(
      reasons.includes(
        '"desktop" waits 700 ms: many requests are answered before a person is needed',
      ),
      String(reasons),
    );
  });

  test('a finished turn, an idle prompt and a policy without settle times notify immediately', async () => {
    for (const [event, policy] of [
      [stop(), { ...settling, routes: [{ name: 'all', match: {}, plan: 'all', also: false }] }],
      [{ ...idle(), event: 'Notification' }, settling],
      [permission('npm test'), { ...settling, settleDelayMs: {} }],
    ] as const) {
      await using line = await timeline(policy);
      await line.at(0, event);

      assert.deepEqual(await sentBy(line), ['desktop@0', 'team@0']);
    }
  });

  test('a question that a hook may answer settles as well', async () => {
    await using line = await timeline(settling);

    await line.at(0, { ...permission('Which one?'), kind: 'needs.input', tool: 'AskUserQuestion' });

    assert.deepEqual(await sentBy(line), ['desktop@0.7', 'team@10']);
  });

  test('a later step keeps its time, unless it comes sooner than the request settles', async () => {
    const steps = [
      sampleStep(['desktop']),
      sampleStep(['team'], { afterMs: 5_000 }),
      sampleStep(['mail'], { afterMs: 60_000 }),
    ];
    await using line = await timeline({ ...settling, plans: { all: { name: 'all', steps } } });

    await line.at(0, permission('npm test'));

    assert.deepEqual(await sentBy(line), ['desktop@0.7', 'team@10', 'mail@60']);
  });

  test('a request that a newer one replaced still notifies: only the newer one may have been answered', async () => {
    await using line = await timeline(settling);

    await line.at(0, permission('npm test'));
    await line.at(0.3, permission('npm publish'));
    await line.at(0.6, toolDone());

    assert.deepEqual(await sentBy(line), ['desktop@0.7', 'team@10']);
  });

  test('and no longer notifies once the turn is over', async () => {
    await using line = await timeline(settling);

    await line.at(0, permission('npm test'));
    await line.at(0.3, permission('npm publish'));
    await line.at(0.6, stop());

    assert.deepEqual(await sentBy(line), []);
  });

  test('an answer that happened before a request leaves it alone, though it comes in later', async () => {
    await using line = await timeline(settling);

    await line.at(1, permission('npm test'));
    await line.at(1.1, { ...prompt(), at: START });

    assert.deepEqual(await sentBy(line), ['desktop@1.7', 'team@11']);
  });

  test('a request that comes in late, after a time without a daemon, settles from then on', async () => {
    await using line = await timeline(settling);

    await line.at(3_600, { ...permission('npm test'), at: START });
    await line.at(3_600.01, { ...toolDone(), at: START + 40 });

    assert.deepEqual(await sentBy(line), []);
  });

  test('another call that was under way answers nothing', async () => {
    await using line = await timeline(settling);

    await line.at(0, permission('npm test'));
    await line.at(0.2, { ...toolDone(), tool: 'Read' });

    assert.deepEqual(await sentBy(line), ['desktop@0.7', 'team@10']);
  });

  test('what Claude Code does beside a subagent that asks answers nothing', async () => {
    await using line = await played(
      {
        agent: 'claude',
        sent: [
          [0, 'PermissionRequest', { ...bash, agent_id: 'a' }],
          [0.1, 'PostToolUse', bash],
          [0.2, 'Stop', { background_tasks: [{ id: 'a' }] }],
        ],
      },
      settling,
    );

    assert.deepEqual(await sentBy(line), ['desktop@0.7', 'team@10']);
  });

  for (const { name, ...row } of answeredByThemselves) {
    test(`E20: ${name} does not notify`, async () => {
      await using line = await played(row, settling);
      assert.deepEqual(await sentBy(line), []);
    });
  }
});

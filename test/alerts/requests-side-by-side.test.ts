import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Policy } from '../../src/core/policy.ts';
import { samplePolicy } from '../support/decisions.ts';
import { played, type Row, type Sent } from '../support/played.ts';

const asked = (command: string, fields: object = {}) => ({
  tool_name: 'Bash',
  tool_input: { command, description: 'For a reason' },
  ...fields,
});
const read = (path: string) => ({ tool_name: 'Read', tool_input: { file_path: path } });
const ofOpenCode = (properties: object) => ({ properties: { sessionID: 's', ...properties } });
const permissionOf = (id: string, command: string) =>
  ofOpenCode({ id, permission: 'bash', patterns: [command], metadata: { command } });
const question = { questions: [{ question: 'Which one?', options: [{ label: 'A' }] }] };
const two: readonly Sent[] = [
  [0, 'PermissionRequest', asked('touch first')],
  [0.1, 'PermissionRequest', asked('touch second')],
];

/** Requests that are open at the same time, as agents report them, and how many alerts are open at the end. */
const rows: readonly (Omit<Row, 'rings' | 'open'> & { readonly open: number })[] = [
  {
    name: 'the result of the first of two requests of a tool leaves the alert of the second open',
    agent: 'claude',
    sent: [...two, [3, 'PostToolUse', asked('touch first')]],
    open: 1,
  },
  {
    name: 'also much later, and when the call failed',
    agent: 'claude',
    sent: [...two, [90, 'PostToolUseFailure', asked('touch first', { error: 'Exit code 1' })]],
    open: 1,
  },
  {
    name: 'the result of the second closes it',
    agent: 'claude',
    sent: [...two, [3, 'PostToolUse', asked('touch second')]],
    open: 0,
  },
  {
    name: 'the results of both close it in either order',
    agent: 'claude',
    sent: [
      ...two,
      [3, 'PostToolUse', asked('touch second')],
      [4, 'PostToolUse', asked('touch first')],
    ],
    open: 0,
  },
  {
    name: 'two concurrent reads, as Claude Code asks for them',
    agent: 'claude',
    sent: [
      [0, 'PermissionRequest', read('/etc/hostname')],
      [0.01, 'PermissionRequest', read('/etc/os-release')],
      [2, 'PostToolUse', { ...read('/etc/hostname'), tool_use_id: 't1', duration_ms: 4 }],
    ],
    open: 1,
  },
  {
    name: 'a call of the same tool that needed no permission answers nothing',
    agent: 'claude',
    sent: [
      [0, 'PermissionRequest', read('/etc/hostname')],
      [0.5, 'PostToolUse', read('/home/dev/shop/README.md')],
    ],
    open: 1,
  },
  {
    name: 'nor does one that began before the request and took a minute',
    agent: 'claude',
    sent: [
      [0, 'PermissionRequest', asked('npm publish')],
      [50, 'PostToolUse', { ...asked('npm test'), duration_ms: 60_000 }],
    ],
    open: 1,
  },
  {
    name: 'an input that a person changed counts as the answer after ten seconds',
    agent: 'claude',
    sent: [
      [0, 'PermissionRequest', asked('npm publish')],
      [12, 'PostToolUse', asked('npm publish --dry-run', { duration_ms: 900 })],
    ],
    open: 0,
  },
  {
    name: 'and before that the alert stays open until the turn goes on',
    agent: 'claude',
    sent: [
      [0, 'PermissionRequest', asked('npm publish')],
      [5, 'PostToolUse', asked('npm publish --dry-run', { duration_ms: 900 })],
      [6, 'Stop'],
    ],
    open: 0,
  },
  {
    name: 'two subagents that ask for the same command: the result of one leaves the alert open',
    agent: 'claude',
    sent: [
      [0, 'PermissionRequest', asked('npm test', { agent_id: 'a' })],
      [0.1, 'PermissionRequest', asked('npm test', { agent_id: 'b' })],
      [3, 'PostToolUse', asked('npm test', { agent_id: 'a' })],
    ],
    open: 1,
  },
  {
    name: 'the result for the main conversation leaves the alert of its subagent open',
    agent: 'claude',
    sent: [
      [0, 'PermissionRequest', asked('npm test')],
      [0.1, 'PermissionRequest', asked('npm test', { agent_id: 'a' })],
      [20, 'PostToolUse', asked('npm test')],
    ],
    open: 1,
  },
  {
    name: 'Codex names a command otherwise when it asks, and its result closes the alert',
    agent: 'codex',
    sent: [
      [0, 'PermissionRequest', asked('touch first')],
      [3, 'PostToolUse', { tool_name: 'Bash', tool_input: { command: 'touch first' } }],
    ],
    open: 0,
  },
  {
    name: 'a question and a plan are answered by a call with another input',
    agent: 'claude',
    sent: [
      [0, 'PermissionRequest', { tool_name: 'AskUserQuestion', tool_input: question }],
      [
        3,
        'PostToolUse',
        { tool_name: 'AskUserQuestion', tool_input: { ...question, answers: {} } },
      ],
      [20, 'PermissionRequest', { tool_name: 'ExitPlanMode', tool_input: { plan: 'Do it' } }],
      [23, 'PostToolUse', { tool_name: 'ExitPlanMode', tool_input: { plan: 'Do it', ok: true } }],
    ],
    open: 0,
  },
  {
    name: 'OpenCode names the request: the reply to the first leaves the alert of the second open',
    agent: 'opencode',
    sent: [
      [0, 'permission.asked', permissionOf('per_1', 'touch first')],
      [0.1, 'permission.asked', permissionOf('per_2', 'touch second')],
      [60, 'permission.replied', ofOpenCode({ requestID: 'per_1', reply: 'once' })],
    ],
    open: 1,
  },
  {
    name: 'and the reply to the second closes it',
    agent: 'opencode',
    sent: [
      [0, 'permission.asked', permissionOf('per_1', 'touch first')],
      [0.1, 'permission.asked', permissionOf('per_2', 'touch second')],
      [3, 'permission.replied', ofOpenCode({ requestID: 'per_2', reply: 'once' })],
    ],
    open: 0,
  },
];

const settling: Policy = { ...samplePolicy, settleDelayMs: { desktop: 10_000 } };

describe('requests of one session side by side', () => {
  for (const { name, open, ...row } of rows) {
    test(name, async () => {
      await using line = await played(row);

      assert.equal((await line.simulation.liveAlerts()).length, open);
    });
  }

  test('the result of the first cancels the message about it, and not that about the second', async () => {
    await using line = await played(
      { agent: 'claude', sent: [...two, [3, 'PostToolUse', asked('touch first')]] },
      settling,
    );
    await line.simulation.finish();

    assert.deepEqual(
      line.sent().filter((one) => one.startsWith('desktop@')),
      ['desktop@10.1'],
    );
  });
});

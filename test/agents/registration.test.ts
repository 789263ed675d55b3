import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { decodePayload } from '../../src/agents/decode.ts';
import { eventWord } from '../../src/agents/support/vocabulary.ts';
import { dialects } from '../../src/agents/registry.ts';
import type { DialectName } from '../../src/core/hook-event.ts';
import { dialectNames } from '../../src/core/hook-event.ts';

/** The five events of the interface document (acceptance 027). */
const demanded = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd', 'PostToolUse'];

/** Events for which a hook without output fails, or denies or delays the agent's work. */
const forbidden: Readonly<Partial<Record<DialectName, readonly string[]>>> = {
  droid: ['PreToolUse', 'PreCompact'],
  claude: ['WorktreeCreate', 'MessageDisplay', 'PreToolUse', 'PreCompact'],
  codex: ['PreToolUse', 'PreCompact'],
  gemini: ['BeforeModel', 'AfterModel', 'BeforeToolSelection', 'PreCompress', 'BeforeTool'],
  qwen: ['PreToolUse', 'PreCompact'],
  cursor: ['preToolUse', 'beforeSubmitPrompt', 'beforeShellExecution', 'beforeReadFile'],
  copilot: ['preToolUse', 'permissionRequest', 'PreToolUse', 'PermissionRequest'],
  opencode: ['tool.execute.before', 'permission.ask'],
  kilo: ['tool.execute.before', 'permission.ask'],
  cline: ['beforeModel', 'afterModel'],
  pi: ['tool_call', 'input', 'project_trust'],
  kimi: ['Notification', 'PreCompact', 'SessionHeartbeat'],
  grok: ['PreToolUse', 'PreCompact'],
  qoder: ['PreToolUse', 'PreCompact', 'WorktreeCreate'],
  auggie: ['PreToolUse'],
  vscode: ['PreToolUse', 'PreCompact'],
  letta: ['PreToolUse', 'PreCompact'],
};

function eventsOf(agent: DialectName): string[] {
  return dialects[agent].registrations.flatMap(({ events }) => events.map(({ name }) => name));
}

describe('registrations', () => {
  test('E16: Codex runs the hook before a tool only where that asks a question', () => {
    const before = dialects.codex.registrations.flatMap(({ events }) =>
      events.filter(({ name }) => name === 'PreToolUse'),
    );

    assert.deepEqual(before, [
      { name: 'PreToolUse', timeoutSeconds: 5, matcher: 'request_user_input' },
    ]);
  });

  for (const agent of ['claude', 'qwen'] as const) {
    test(`E14: ${agent} is registered for tools that fail`, () => {
      assert.ok(eventsOf(agent).includes('PostToolUseFailure'));
    });
  }

  test('E14: Copilot CLI is registered for tools that are refused or fail', () => {
    assert.ok(eventsOf('copilot').includes('postToolUseFailure'));
  });

  for (const agent of ['droid', 'claude'] as const) {
    test(`${agent} is registered for the five events, in seconds (acceptance 026, 027)`, () => {
      assert.deepEqual(
        demanded.filter((name) => !eventsOf(agent).includes(name)),
        [],
      );
      for (const { events, timeoutUnit } of dialects[agent].registrations) {
        assert.equal(timeoutUnit, undefined);
        assert.ok(events.every(({ timeoutSeconds }) => timeoutSeconds === 5));
      }
    });
  }

  for (const agent of dialectNames.filter((name) => dialects[name].registrations.length > 0)) {
    test(`${agent} is registered, and for no event that could harm it`, () => {
      const names = eventsOf(agent);

      assert.ok(names.length > 0);
      // E16: before the one tool by which these ask, silence lets them ask.
      if (agent === 'codex' || agent === 'kimi') names.splice(names.indexOf('PreToolUse'), 1);
      const harmful = (forbidden[agent] ?? []).map((name) => name.toLowerCase());
      assert.deepEqual(
        names.filter((name) => harmful.includes(name.toLowerCase())),
        [],
      );
      for (const { events, never } of dialects[agent].registrations) {
        assert.deepEqual(
          events.filter(({ name }) => never?.test(name) === true),
          [],
        );
      }
    });

    test(`${agent}: every registered event means something to its dialect`, () => {
      assert.deepEqual(
        eventsOf(agent).filter((name) => eventWord(dialects[agent].vocabulary, name) === null),
        [],
      );
    });

    test(`${agent} is known by what its registration says, even inside a shell of another agent`, () => {
      for (const { words = [], events, saysEvent = false } of dialects[agent].registrations) {
        const named = words[words.indexOf('--agent') + 1];
        // Other agents run that hook as well.
        if (words.length === 0 || dialects[agent].evidence.isRunByOthers === true) continue;
        const decoded = decodePayload({
          payload: Buffer.from(saysEvent ? '{}' : '{"hook_event_name":"x"}'),
          facts: {
            claudecode: '1',
            ...(named === undefined ? {} : { agent: named }),
            ...(saysEvent ? { event: events[0]?.name ?? '' } : {}),
          },
        });

        assert.equal(decoded.ok && decoded.event.agent, agent);
      }
    });
  }
});

test('droid that imported the hook of Claude Code sends the same event, not another one', () => {
  const payload = Buffer.from(
    JSON.stringify({ hook_event_name: 'Stop', session_id: 's', message_id: 'm', cwd: '/w' }),
  );
  const [own, imported] = [{}, { agent: 'claude' }].map((words) =>
    decodePayload({ payload, facts: { ...words, factory_project_dir: '/w' } }),
  );

  assert.ok(own?.ok && imported?.ok);
  assert.deepEqual(imported.event.duplicate, own.event.duplicate);
});

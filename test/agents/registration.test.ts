import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dialects } from '../../src/agents/registry.ts';

/** The five events of the interface document (acceptance 027). */
const demanded = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd', 'PostToolUse'];

/** Events whose hooks block the agent, or fail it when they say nothing. */
const forbidden = ['WorktreeCreate', 'MessageDisplay', 'PreToolUse', 'PreCompact'];

for (const agent of ['droid', 'claude'] as const) {
  test(`${agent} is registered for the five events, in seconds, and for none that could harm it (acceptance 026, 027)`, () => {
    const { registration } = dialects[agent];
    assert.ok(registration);

    const names = registration.events.map(({ name }) => name);
    assert.deepEqual(
      demanded.filter((name) => !names.includes(name)),
      [],
    );
    assert.deepEqual(
      forbidden.filter((name) => names.includes(name)),
      [],
    );
    assert.ok(registration.events.every(({ timeoutSeconds }) => timeoutSeconds === 5));
  });
}

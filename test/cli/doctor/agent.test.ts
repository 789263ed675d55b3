import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkAgent } from '../../../src/cli/doctor/agent.ts';
import type { CheckState } from '../../../src/cli/doctor/check.ts';
import type { HookInspection, RegistrableAgent } from '../../../src/setup/hooks.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

const droid: RegistrableAgent = {
  agent: 'droid',
  registration: {
    evidence: [],
    programs: [],
    files: [],
    events: [{ name: 'Stop', timeoutSeconds: 5 }],
    never: /^(?:WorktreeCreate|MessageDisplay)$/,
    afterwards: 'Restart droid',
  },
};
const HOOK = '/opt/hookbell/hooks/hookbell-hook';
const stop = { event: 'Stop', command: HOOK, timeout: 5 };
const ports = doctorPorts({ programs: [HOOK, "/it's here/hookbell-hook"] });

function inspected(fields: Partial<HookInspection> = {}): HookInspection {
  return { installed: true, path: '/settings.json', problem: null, hooks: [stop], ...fields };
}

describe('checkAgent()', () => {
  const cases: readonly [string, Partial<HookInspection>, CheckState, RegExp][] = [
    ['hooks that can run', {}, 'ok', /^1 hooks? in \/settings\.json$/],
    ['an agent that is not there', { installed: false, hooks: [] }, 'skipped', /not found/],
    ['hooks registered ahead of the agent', { installed: false }, 'ok', /hook/],
    ['an agent without our hooks', { hooks: [] }, 'warning', /no hook is registered/],
    ['unreadable settings', { problem: 'it is not valid JSON' }, 'problem', /not valid JSON/],
    ['a hook that is gone', withHook({ command: '/gone/hookbell-hook' }), 'problem', /\/gone\//],
    ['a relative command', withHook({ command: 'x/hookbell-hook' }), 'problem', /no absolute path/],
    ['a timeout in milliseconds', withHook({ timeout: 5000 }), 'warning', /5000 s.*counts in sec/],
    ['a timeout below the hook’s own', withHook({ timeout: 1 }), 'warning', /timeout of 1 s/],
    ['no timeout of its own', withHook({ timeout: null }), 'ok', /hook/],
    [
      'arguments and quotes',
      withHook({ command: String.raw`'/it'\''s here/hookbell-hook' --agent droid` }),
      'ok',
      /hook/,
    ],
    ['double quotes', withHook({ command: `"${HOOK}" --agent droid` }), 'ok', /hook/],
    [
      'an event that is missing',
      withHook({ event: 'PreToolUse' }),
      'warning',
      /registered for Stop/,
    ],
    [
      'an event that a silent hook breaks',
      { hooks: [stop, { ...stop, event: 'WorktreeCreate' }] },
      'problem',
      /breaks "WorktreeCreate"/,
    ],
    [
      'an event that a silent hook delays',
      { hooks: [stop, { ...stop, event: 'MessageDisplay' }] },
      'problem',
      /breaks "MessageDisplay"/,
    ],
  ];
  for (const [name, fields, state, summary] of cases) {
    test(`says "${state}" of ${name}`, async () => {
      const check = await checkAgent(droid, inspected(fields), null, ports);

      assert.equal(check.name, 'agent droid');
      assert.equal(check.state, state);
      assert.match(check.summary, summary);
      assert.equal(check.hint === null, state === 'ok' || state === 'skipped');
    });
  }

  test('says when the last event came', async () => {
    const last = { agent: 'droid', lastEventAt: '2026-03-01T10:00:00.000Z', lastEvent: 'Stop' };

    const check = await checkAgent(droid, inspected(), [{ ...last, agent: 'droid' }], ports);

    assert.match(check.summary, /last event "Stop" 4 min ago$/);
    assert.equal(check.hint, null);
  });

  test('says what the agent needs before its first event', async () => {
    const check = await checkAgent(droid, inspected(), [], ports);

    assert.match(check.summary, /no event yet$/);
    assert.deepEqual([check.state, check.hint], ['ok', 'Restart droid']);
  });
});

function withHook(fields: Partial<HookInspection['hooks'][number]>): Partial<HookInspection> {
  return { hooks: [{ ...stop, ...fields }] };
}

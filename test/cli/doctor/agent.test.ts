import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkAgent } from '../../../src/cli/doctor/agent.ts';
import type { CheckState } from '../../../src/cli/doctor/check.ts';
import {
  hookCommandLine,
  PORTABLE_HOOK,
  type RegistrableAgent,
} from '../../../src/setup/hook-places.ts';
import type { HookInspection } from '../../../src/setup/inspect-hooks.ts';
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
const STATE = '--state /home/dev/.local/state/hookbell';
const stop = { event: 'Stop', command: `${HOOK} ${STATE}`, timeout: 5 };
const ports = doctorPorts({ programs: [HOOK, "/it's here/hookbell-hook"] });

function inspected(fields: Partial<HookInspection> = {}): HookInspection {
  return {
    installed: true,
    path: '/settings.json',
    problem: null,
    hooks: [stop],
    asks: [],
    off: null,
    elsewhere: [],
    ...fields,
  };
}

describe('checkAgent()', () => {
  test('an agent that hookbell does not know has its name, and the whole command to register it again', async () => {
    const custom: RegistrableAgent = { ...droid, agent: 'unknown', called: 'My agent' };
    const gone = inspected({ installed: false, hooks: [] });

    const { name, state, hint } = await checkAgent(custom, gone, null, ports);

    assert.deepEqual([name, state], ['agent My agent', 'warning']);
    assert.equal(
      hint,
      `Run "hookbell install --agent custom --settings /settings.json --name 'My agent'"`,
    );
  });

  const cases: readonly [string, Partial<HookInspection>, CheckState, RegExp][] = [
    ['hooks that can run', {}, 'ok', /^1 hooks? in \/settings\.json$/],
    [
      'a hook that waits for answers',
      {
        asks: [
          { ...stop, event: 'PermissionRequest', command: hookCommandLine(HOOK, STATE.split(' ')) },
        ],
      },
      'ok',
      /^1 hooks? in \/settings\.json; requests can be answered from elsewhere$/,
    ],
    [
      'a hook that waits for answers and is gone',
      {
        asks: [
          {
            ...stop,
            event: 'PermissionRequest',
            command: hookCommandLine('/gone/hookbell-ask', []),
          },
        ],
      },
      'problem',
      /the hook of PermissionRequest cannot be run: \/gone\/hookbell-ask/,
    ],
    ['an agent that is not there', { installed: false, hooks: [] }, 'skipped', /not found/],
    ['hooks registered ahead of the agent', { installed: false }, 'ok', /hook/],
    ['an agent without our hooks', { hooks: [] }, 'warning', /no hook is registered/],
    ['unreadable settings', { problem: 'it is not valid JSON' }, 'problem', /not valid JSON/],
    ['a hook that is gone', withHook({ command: '/gone/hookbell-hook' }), 'problem', /\/gone\//],
    ['a relative command', withHook({ command: 'x/hookbell-hook' }), 'problem', /no absolute path/],
    ['a timeout in milliseconds', withHook({ timeout: 5000 }), 'warning', /5000 s.*counts in sec/],
    ['a timeout below the hook’s own', withHook({ timeout: 1 }), 'warning', /timeout of 1 s/],
    ['no timeout', withHook({ timeout: null }), 'ok', /hook/],
    [
      'arguments and quotes',
      withHook({
        command: hookCommandLine("/it's here/hookbell-hook", [
          '--agent',
          'droid',
          ...STATE.split(' '),
        ]),
      }),
      'ok',
      /hook/,
    ],
    ['double quotes', withHook({ command: `"${HOOK}" ${STATE} --agent droid` }), 'ok', /hook/],
    ['a command of an earlier version (D1)', withHook({ command: HOOK }), 'warning', /--state/],
    [
      'another state directory (D1)',
      withHook({ command: `${HOOK} --state /tmp/x` }),
      'warning',
      /does not set "--state \/home\/dev/,
    ],
    [
      'the portable command',
      withHook({ command: hookCommandLine(PORTABLE_HOOK, []) }),
      'ok',
      /hook/,
    ],
    [
      'an event that is missing',
      withHook({ event: 'PreToolUse' }),
      'warning',
      /registered for Stop/,
    ],
    [
      'hooks that are switched off',
      { off: { path: '/settings.json', key: 'hooksDisabled' } },
      'problem',
      /disabled by "hooksDisabled" in \/settings\.json/,
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

  const plugin = {
    by: 'plugin',
    path: '/plugins/hookbell/hooks/hooks.json',
    hooks: [{ ...stop, command: 'for h in "$HOME/x"; do exec "$h/hooks/hookbell-hook"; done' }],
    plugin: 'hookbell@market',
  } as const;
  const project = { by: 'project', path: '/w/settings.json', hooks: [stop], plugin: null } as const;

  test('says "ok" of a plugin that registers everything', async () => {
    const check = await checkAgent(
      droid,
      inspected({ hooks: [], elsewhere: [plugin] }),
      null,
      ports,
    );

    assert.deepEqual(check, {
      name: 'agent droid',
      state: 'ok',
      summary: '1 hooks in /plugins/hookbell/hooks/hooks.json',
      hint: null,
    });
  });

  for (const [name, place, path, hint] of [
    ['the plugin', plugin, plugin.path, 'run "droid plugin uninstall hookbell@market"'],
    ['a project', project, project.path, 'Remove the entries that name "hookbell-hook" from'],
  ] as const) {
    test(`says "warning" of what the settings and ${name} register, and which of them to undo`, async () => {
      const registration = { ...droid.registration, programs: ['droid'] };
      const check = await checkAgent(
        { ...droid, registration },
        inspected({ elsewhere: [place] }),
        null,
        ports,
      );

      assert.equal(check.state, 'warning');
      assert.equal(
        check.summary,
        `Stop registered twice: in /settings.json and in ${path} (it notifies once)`,
      );
      assert.ok(check.hint?.includes(hint), check.hint ?? '');
    });
  }

  test('says what a plugin leaves out, and leaves out what a project must not hold', async () => {
    const events = [...droid.registration.events, { name: 'Ask', timeoutSeconds: 5 }];
    const registration = { ...droid.registration, events, userOnly: ['Ask'] };
    const of = async (elsewhere: HookInspection['elsewhere']) =>
      checkAgent({ ...droid, registration }, inspected({ hooks: [], elsewhere }), null, ports);

    const byPlugin = await of([plugin]);
    const byProject = await of([project]);

    assert.deepEqual([byPlugin.state, byProject.state], ['warning', 'ok']);
    assert.match(byPlugin.summary, /^not registered for Ask in \/plugins/);
    assert.match(byPlugin.hint ?? '', /^Run "hookbell install --agent droid"\. Remove the plugin/);
  });

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

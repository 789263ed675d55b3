import assert from 'node:assert/strict';
import { test } from 'node:test';

import { examine } from '../../../src/cli/doctor/checks.ts';
import type { ControlAnswers } from '../../../src/control/contract.ts';
import { FailedError } from '../../../src/platform/errors.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';
import { sampleStatusView } from '../../support/sample-views.ts';

const answers: Partial<ControlAnswers> = {
  'GET /v1/status': sampleStatusView(),
  'GET /v1/agents': [],
  'GET /v1/words-received': [],
  'GET /v1/waits-seen': [],
  'GET /v1/self-check': { events: 12, findings: [] },
  'GET /v1/presence': [{ source: 'idle time', works: true, detail: 'idle for 3 s' }],
  'GET /v1/api': {
    state: 'ok',
    durationMs: 43,
    reason: null,
    analytics: { state: 'ok', durationMs: 44, reason: null, hint: null },
    readiness: { state: 'ok', durationMs: 45, reason: null, hint: null },
  },
  'GET /v1/channels': [
    {
      channel: 'desktop',
      type: 'desktop',
      ok: true,
      summary: 'dunst',
      hint: null,
      can: 'replace',
      cannot: '',
    },
  ],
};

test('examine() looks at everything, in an order that goes from the ground up', async () => {
  const checks = await examine(doctorPorts({ answers }));

  assert.deepEqual(
    checks.map(({ name }) => name),
    [
      'node',
      'program',
      'state directory',
      'spool directory',
      'disk',
      'private files',
      'launch script',
      'environment',
      'ownership',
      'daemon',
      'configuration',
      'secrets',
      'project',
      'spool',
      'quarantine',
      'unknown events',
      'waits without a hook',
      'deliveries',
      'mutes',
      'accounts',
      'warnings',
      'heartbeat',
      'relay',
      'listen',
      'channel desktop',
      'presence',
      'session look-up',
      'usage data',
      'readiness reports',
      'command',
      'service',
    ],
  );
  assert.ok(checks.every(({ state }) => state !== 'skipped'));
});

test('examine() goes on without a daemon and says what it could not look at', async () => {
  const checks = await examine(doctorPorts());

  const skipped = checks.filter(({ state }) => state === 'skipped').map(({ name }) => name);
  const problems = checks.filter(({ state }) => state === 'problem').map(({ name }) => name);
  assert.deepEqual(skipped, [
    'quarantine',
    'unknown events',
    'waits without a hook',
    'deliveries',
    'mutes',
    'accounts',
    'warnings',
    'heartbeat',
    'relay',
    'listen',
    'channels',
    'presence',
    'session look-up',
    'usage data',
    'readiness reports',
  ]);
  assert.deepEqual(problems, ['daemon']);
});

test('examine() goes on when the daemon cannot answer one of its questions', async () => {
  const healthy = doctorPorts({ answers });

  const checks = await examine({
    ...healthy,
    ask: (name, call) =>
      name === 'GET /v1/channels'
        ? Promise.reject(
            new FailedError('The daemon cannot handle the request; see "hookbell logs"'),
          )
        : healthy.ask(name, call),
  });

  const channels = checks.find(({ name }) => name === 'channels');
  assert.equal(channels?.state, 'problem');
  assert.ok(checks.some(({ name }) => name === 'service'));
});

test('examine() cannot judge the secrets of a configuration that cannot be read', async () => {
  const loaded = { ok: false, problems: [] } as const;

  const checks = await examine(doctorPorts({ loadConfig: () => Promise.resolve(loaded) }));

  assert.equal(checks.find(({ name }) => name === 'secrets')?.state, 'skipped');
});

test('examine() goes on when the daemon stops answering between two checks', async () => {
  const { 'GET /v1/self-check': _gone, ...others } = answers;

  const checks = await examine(doctorPorts({ answers: others }));

  const left = checks.find(({ name }) => name === 'accounts');
  assert.equal(left?.state, 'skipped');
  assert.match(left.summary, /^Cannot reach the daemon/);
  assert.ok(checks.some(({ name, state }) => name === 'warnings' && state === 'ok'));
});

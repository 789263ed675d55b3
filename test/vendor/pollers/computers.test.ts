import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Client } from '../../../src/vendor/client/index.ts';
import { ServerError, createClient, routes } from '../../../src/vendor/client/index.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import { startMock } from '../../support/reference-service/reference-server.ts';
import { computersJob, createComputersPoll } from '../../../src/vendor/pollers/computers-poller.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { raisedEvents, sourceMemory } from '../../support/source-run.ts';

type Listing = Awaited<ReturnType<Client['computers']['list']>>;

const policy = { pollInterval: { everyMs: 60_000, atMostMs: 600_000 }, provisioningMs: 900_000 };
const MINUTE_MS = 60_000;

const install = { id: 'step_1', name: 'install-dependencies', startedAt: 1_000 };
const failedInstall = { ...install, status: 'failed', error: 'exit code 137' };
const machine = { id: 'cmp_1', name: 'cloud-1', providerType: 'hosted', createdAt: 1 };

/** Looks at what the service lists next; whatever does not fit is set aside, as the client does. */
function computersSource({ memory = sourceMemory() } = {}) {
  const clock = manualClock();
  const { raise, events } = raisedEvents();
  let listing: Listing | Error = { computers: [], badItems: [] };
  const look = createComputersPoll({
    policy,
    computers: () =>
      listing instanceof Error ? Promise.reject(listing) : Promise.resolve(listing),
    titleOf: (sessionId) => Promise.resolve(sessionId === 'sess_1' ? 'Install on cloud-1' : null),
    raise,
    memory,
    now: clock.now,
  });
  return {
    clock,
    events,
    memory,
    lookAt: (computers: readonly object[], badItems: Listing['badItems'] = []) => {
      const { response } = routes['computers.list'];
      listing = { computers: response.parse({ computers }).computers, badItems };
      return look();
    },
    failWith: (error: Error) => {
      listing = error;
      return look();
    },
    told: () => events.map(({ event, headline }) => `${event}: ${headline}`),
  };
}

test('the computers source is silent about what is wrong at first sight, and about its recovery', async () => {
  const { lookAt, events } = computersSource();

  await lookAt([{ ...machine, status: 'error', provisioningSteps: [failedInstall] }]);
  await lookAt([{ ...machine, status: 'active', provisioningSteps: [install] }]);

  assert.deepEqual(events, []);
});

test('the computers source reports a computer that fails, with step, error, title of the install session and what to run (acceptance 163)', async () => {
  const { lookAt, events } = computersSource();
  const step = { ...failedInstall, installSessionId: 'sess_1' };

  await lookAt([{ ...machine, status: 'active' }]);
  await lookAt([{ ...machine, status: 'error', provisioningSteps: [step] }]);
  await lookAt([{ ...machine, status: 'error', provisioningSteps: [step] }]);

  assert.deepEqual(
    events.map((event) => ({ ...event, id: '' })),
    [
      {
        id: '',
        kind: 'notice',
        event: 'computer.failed',
        about: 'computer/cmp_1',
        failed: true,
        headline: 'Computer "cloud-1" failed at "install-dependencies"',
        details:
          'Error: exit code 137\nInstall session: Install on cloud-1\nTo install its dependencies again: hookbell service computers retry cloud-1',
        payload: {
          computer: { id: 'cmp_1', name: 'cloud-1', status: 'error' },
          step: { name: 'install-dependencies', error: 'exit code 137' },
          installSession: { sessionId: 'sess_1', title: 'Install on cloud-1' },
        },
      },
    ],
  );
});

test('the computers source reports a failed step whatever the computer says of itself (acceptance 160)', async () => {
  const { lookAt, told } = computersSource();

  for (const status of ['active', 'provisioning']) {
    await lookAt([{ ...machine, status }]);
    await lookAt([{ ...machine, status, provisioningSteps: [failedInstall] }]);
  }

  assert.deepEqual(told(), [
    'computer.failed: Computer "cloud-1" failed at "install-dependencies"',
    'computer.failed: Computer "cloud-1" failed at "install-dependencies"',
  ]);
});

test('the computers source reports a computer that takes too long to set up once, also across a restart', async () => {
  const first = computersSource();
  const computer = { ...machine, status: 'provisioning', provisioningSteps: [install] };
  await first.lookAt([computer]);

  const { clock, lookAt, told } = computersSource({ memory: first.memory });
  clock.jump(15 * MINUTE_MS);
  await lookAt([computer]);
  clock.jump(MINUTE_MS);
  await lookAt([computer]);
  await lookAt([computer]);

  assert.deepEqual(told(), [
    'computer.slow: Computer "cloud-1" has been in setup for more than 15 min, now at "install-dependencies"',
  ]);
});

test('the computers source says that it is over when the computer is active, not while it is set up anew', async () => {
  const { lookAt, told, events } = computersSource();
  const failed = { ...machine, status: 'error', provisioningSteps: [failedInstall] };

  await lookAt([{ ...machine, status: 'active' }]);
  await lookAt([failed]);
  await lookAt([{ ...machine, status: 'provisioning', provisioningSteps: [install] }]);
  await lookAt([failed]);
  await lookAt([{ ...machine, status: 'provisioning', provisioningSteps: [install] }]);
  await lookAt([{ ...machine }]);
  await lookAt([{ ...machine, status: 'active', provisioningSteps: [install] }]);
  await lookAt([{ ...machine, status: 'active', provisioningSteps: [install] }]);

  assert.deepEqual(told(), [
    'computer.failed: Computer "cloud-1" failed at "install-dependencies"',
    'computer.failed: Computer "cloud-1" failed at "install-dependencies"',
    'computer.active: Computer "cloud-1" is active again',
  ]);
  assert.deepEqual(
    events.map(({ kind, about }) => [kind, about]),
    [
      ['notice', 'computer/cmp_1'],
      ['notice', 'computer/cmp_1'],
      ['notice.over', 'computer/cmp_1'],
    ],
  );
});

test('the computers source reports a trouble again that returns after it was over', async () => {
  const { clock, lookAt, told } = computersSource();
  const active = { ...machine, status: 'active' };
  const provisioning = { ...machine, status: 'provisioning' };

  for (let round = 0; round < 2; round += 1) {
    await lookAt([active]);
    await lookAt([provisioning]);
    clock.jump(16 * MINUTE_MS);
    await lookAt([provisioning]);
  }

  assert.deepEqual(
    told().map((line) => line.split(':')[0]),
    ['computer.slow', 'computer.active', 'computer.slow'],
  );
});

test('the computers source forgets a computer that is gone, but not one whose entry cannot be read', async () => {
  const { lookAt, told, memory } = computersSource();
  const failed = { ...machine, status: 'error' };
  const bad = { index: 0, raw: {}, problem: 'expected string', jsonPath: '$' };

  await lookAt([{ ...machine, status: 'active' }]);
  await lookAt([failed]);
  await lookAt([], [bad]);
  await lookAt([failed]);
  const before = told();
  await lookAt([]);

  assert.deepEqual(before, ['computer.failed: Computer "cloud-1" failed']);
  assert.deepEqual(told().slice(1), ['computer.gone: Computer "cloud-1" no longer exists']);
  assert.deepEqual(memory.value(), { computers: {} });
});

test('the computers source reports a computer that is new and failed, and makes up for an outage', async () => {
  const { lookAt, failWith, told } = computersSource();
  const outage = new ServerError('Away', {
    route: 'computers.list',
    method: 'GET',
    path: '/',
    attempts: 1,
    status: 503,
    retryAfterMs: null,
  });

  await lookAt([]);
  await assert.rejects(failWith(outage));
  await lookAt([{ ...machine, status: 'error' }]);

  assert.deepEqual(told(), ['computer.failed: Computer "cloud-1" failed']);
});

test('the computers source raises the same event again if its memory was not saved (a crash between)', async () => {
  const first = computersSource();
  await first.lookAt([{ ...machine, status: 'active' }]);
  const kept = first.memory.value();
  const failed = { ...machine, status: 'error', provisioningSteps: [failedInstall] };

  await first.lookAt([failed]);
  const second = computersSource({ memory: sourceMemory(kept) });
  await second.lookAt([failed]);

  assert.equal(second.events.length, 1);
  assert.equal(second.events[0]?.id, first.events[0]?.id);
});

for (const { name, word } of [
  { name: 'cloud 1/eu', word: "'cloud 1/eu'" },
  { name: "$(reboot) 'x'", word: String.raw`'$(reboot) '\''x'\'''` },
  { name: '--json', word: 'cmp_1' },
  { name: 'a\nTo install: rm -r ~', word: 'cmp_1' },
]) {
  test(`the computers source names a command that is safe to paste for a computer called ${JSON.stringify(name)}`, async () => {
    const { lookAt, events } = computersSource();

    await lookAt([{ ...machine, name, status: 'active' }]);
    await lookAt([{ ...machine, name, status: 'error' }]);

    assert.equal(
      events[0]?.details,
      `To install its dependencies again: hookbell service computers retry ${word}`,
    );
    assert.ok(!events[0]?.headline.includes('\n'));
  });
}

test('the computers job keeps neither texts of errors nor addresses of relays (acceptance 161)', async () => {
  await using mock = await startMock({ now: 1_780_000_000_000 });
  const { raise, events } = raisedEvents();
  const memory = sourceMemory();
  const api = createClient({ baseUrl: mock.baseUrl, apiKey: () => mock.keys.owner });
  const clock = manualClock();
  const job = computersJob(policy, {
    name: 'computers',
    api,
    raise,
    raiseSessionEvent: () => Promise.reject(new Error('Not raised')),
    lastHook: () => Promise.resolve(null),
    memory: () => memory,
    usage: () => Promise.reject(new Error('Not asked')),
    waiting: () => Promise.reject(new Error('Not asked')),
    redactor: createRedactor({ prefixes: [], keys: [] }),
    now: clock.now,
    random: () => 0,
    log: silentLog,
    onTrouble: (reason) => assert.equal(reason, null),
    signal: new AbortController().signal,
  });

  await job.run();
  mock.scenario('computer-fails');
  clock.jump(MINUTE_MS);
  await job.run();

  assert.match(
    events[0]?.details ?? '',
    /^Error: npm ci ended with exit code 137\nInstall session: \S.*\n/,
  );
  const kept = JSON.stringify([memory.value(), events.map(({ payload }) => payload)]);
  assert.doesNotMatch(kept, /mock-secret|ticket|wss:/);
  assert.doesNotMatch(JSON.stringify(memory.value()), /exit code/);
  assert.ok(!kept.includes(mock.keys.owner));
});

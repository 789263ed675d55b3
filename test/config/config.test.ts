import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { secretWarnings } from '../../src/config/secret-places.ts';
import { configOf } from '../support/config-text.ts';

describe('The channels of a configuration', () => {
  test('get the options of their type, with its defaults', async () => {
    const { channels } = await configOf(
      'channels: { team: { type: slack, webhook: { env: HOOK } }, log: { type: log, path: x } }',
    );

    assert.deepEqual(
      channels.map(({ name, type, options }) => ({ name, type, options })),
      [
        { name: 'team', type: 'slack', options: { webhook: { env: 'HOOK' } } },
        { name: 'log', type: 'log', options: { path: 'x', rotate: { files: 3 } } },
        { name: 'inbox', type: 'inbox', options: {} },
      ],
    );
  });

  test('keep the limits of their type but for those the file changes', async () => {
    const { channels } = await configOf(`
      channels:
        a: { type: desktop }
        b: { type: desktop, timeout: 2s, max_attempts: 4, rate: { burst: 9, every: 1m } }
        c: { type: desktop, rate: { every: 5s } }
    `);

    assert.deepEqual(
      channels.slice(0, 3).map(({ limits }) => limits),
      [
        { timeoutMs: 10_000, concurrency: 1, burst: 3, refillMs: 1_000, maxAttempts: 8 },
        { timeoutMs: 2_000, concurrency: 1, burst: 9, refillMs: 60_000, maxAttempts: 4 },
        { timeoutMs: 10_000, concurrency: 1, burst: 3, refillMs: 5_000, maxAttempts: 8 },
      ],
    );
  });

  test('say how much text they get', async () => {
    const { channels } = await configOf(
      'channels: { a: { type: desktop }, b: { type: desktop, body: none } }',
    );

    assert.deepEqual(
      channels.map(({ body }) => body),
      ['full', 'none', 'full'],
    );
  });

  test('may all be left out: the inbox stays', async () => {
    const { channels, policy } = await configOf('channels: {}');

    assert.deepEqual(
      channels.map(({ name }) => name),
      ['inbox'],
    );
    assert.deepEqual(policy.plans['default: long turns']?.steps, [
      { afterMs: 0, notify: ['inbox'], repeat: null, condition: null },
    ]);
  });
});

describe('The policy of a configuration', () => {
  test('notifies all channels by default', async () => {
    const { policy } = await configOf(
      'channels: { team: { type: slack, webhook: x }, log: { type: log, path: x } }',
    );

    assert.deepEqual(policy.plans['default: waiting and failures']?.steps, [
      { afterMs: 0, notify: ['team', 'log', 'inbox'], repeat: null, condition: null },
    ]);
  });

  test('names the channels that disturb no one, the inbox among them', async () => {
    const { policy } = await configOf(
      'channels: { desktop: { type: desktop }, log: { type: log, path: x } }',
    );

    assert.deepEqual(policy.programChannels, ['log', 'inbox']);
  });

  test('has the plans of the file, with the inbox in the first step of each', async () => {
    const { policy } = await configOf(`
      plans:
        late: [{ after: 1h30m, notify: desktop }, { after: 1d, notify: [inbox, desktop] }]
        quiet: [{ notify: [inbox, inbox] }]
      routes:
        - { match: { kind: waiting }, plan: late }
        - { plan: quiet }
    `);

    assert.deepEqual(policy.plans, {
      none: { name: 'none', steps: [] },
      late: {
        name: 'late',
        steps: [
          { afterMs: 5_400_000, notify: ['desktop', 'inbox'], repeat: null, condition: null },
          { afterMs: 86_400_000, notify: ['inbox', 'desktop'], repeat: null, condition: null },
        ],
      },
      quiet: {
        name: 'quiet',
        steps: [{ afterMs: 0, notify: ['inbox'], repeat: null, condition: null }],
      },
    });
  });

  test('gives plans inside a route the name of the route', async () => {
    const { policy } = await configOf(`
      routes:
        - { match: { kind: waiting }, notify: desktop, also: true }
        - { match: { kind: waiting }, plan: none }
        - { match: { kind: failed }, plan: [{ after: 1m, notify: [desktop] }] }
    `);

    assert.deepEqual(
      policy.routes.map(({ name, plan, also }) => ({ name, plan, also })),
      [
        { name: 'routes[0]', plan: 'routes[0]', also: true },
        { name: 'routes[1]', plan: 'none', also: false },
        { name: 'routes[2]', plan: 'routes[2]', also: false },
      ],
    );
    assert.deepEqual(policy.plans['routes[0]']?.steps, [
      { afterMs: 0, notify: ['desktop', 'inbox'], repeat: null, condition: null },
    ]);
    assert.deepEqual(policy.plans['routes[2]']?.steps, [
      { afterMs: 60_000, notify: ['desktop', 'inbox'], repeat: null, condition: null },
    ]);
  });

  test('knows every condition, one or a list, and the groups of kinds', async () => {
    const { policy } = await configOf(`
      routes:
        - match:
            kind: [done, failed, waiting, session.end]
            agent: claude
            project: [a-*, /tmp/*]
            tool: Bash
            severity: info
            longer_than: 500ms
            subagent: false
            attended: true
            permission_mode: plan
            title: fix *
            message: ['*npm*']
            hours: { from: "9:00", to: "18:00", timezone: UTC }
          plan: none
        - { match: { kind: "*" }, plan: none }
    `);

    assert.deepEqual(
      policy.routes.map(({ match }) => match),
      [
        {
          kind: ['session.end', 'turn.done', 'turn.failed', 'needs.permission', 'needs.input'],
          agent: ['claude'],
          project: ['a-*', '/tmp/*'],
          tool: ['Bash'],
          severity: ['info'],
          longerThanMs: 500,
          subagent: false,
          attended: true,
          permissionMode: ['plan'],
          title: ['fix *'],
          message: ['*npm*'],
          hours: { from: 540, to: 1_080, timezone: 'UTC' },
        },
        {},
      ],
    );
  });
});

describe('limits on notifications', () => {
  test('has defaults: no quiet hours, bursts of 5 s, a notification also while you watch', async () => {
    const { policy } = await configOf('channels: {}');

    assert.deepEqual(policy.quietHours, []);
    assert.deepEqual(policy.noise, {
      burst: { atOnce: 1, windowMs: 5_000 },
      perSessionAnHour: 30,
      perChannelAnHour: 120,
      flapMs: 0,
    });
    assert.equal(policy.expireAfterMs, 12 * 3_600_000);
    assert.equal(policy.whenWatching, 'soften', 'B17');
  });

  test('quiet hours, noise, alerts and presence are taken from the file', async () => {
    const { policy } = await configOf(`
      quiet_hours:
        { from: "22:00", to: "7:30", timezone: Europe/Berlin, days: [fri, sat], let_through: failed }
      noise: { burst: { at_once: 3, window: 30s }, per_session: 5, flap: 1m }
      alerts: { expire_after: 1h }
      presence: { when_watching: soften }
    `);

    assert.deepEqual(policy.quietHours, [
      {
        from: 22 * 60,
        to: 7 * 60 + 30,
        timezone: 'Europe/Berlin',
        days: [5, 6],
        letThrough: ['turn.failed'],
        meanwhile: { type: 'hold' },
      },
    ]);
    assert.deepEqual(policy.noise, {
      burst: { atOnce: 3, windowMs: 30_000 },
      perSessionAnHour: 5,
      perChannelAnHour: 120,
      flapMs: 60_000,
    });
    assert.equal(policy.expireAfterMs, 3_600_000);
    assert.equal(policy.whenWatching, 'soften');
  });

  test('requests settle by where a channel reaches a person, which a channel may say for itself', async () => {
    const channels = `channels:
      desktop: { type: desktop }
      team: { type: slack, webhook: x }
      quick: { type: slack, webhook: x, settle: 2s }
      log: { type: log, path: x }
`;
    for (const [alerts, times] of [
      ['', { desktop: 700, team: 10_000, quick: 2_000 }],
      ['alerts: { settle: 0 }', { quick: 2_000 }],
      ['alerts: { settle: 1s }', { desktop: 1_000, team: 1_000, quick: 2_000 }],
      ['alerts: { settle: { near: 0 } }', { team: 10_000, quick: 2_000 }],
      ['alerts: { settle: { far: 1m } }', { desktop: 700, team: 60_000, quick: 2_000 }],
    ] as const) {
      const { policy } = await configOf(`${channels}${alerts}`);

      assert.deepEqual(policy.settleDelayMs, times, alerts);
    }
  });

  test('quiet hours may be whole days', async () => {
    const { policy } = await configOf(
      'quiet_hours: { from: "0:00", to: "0:00", days: [sat, sun] }',
    );

    assert.deepEqual([policy.quietHours[0]?.from, policy.quietHours[0]?.to], [0, 0]);
    assert.deepEqual(policy.quietHours[0]?.days, [6, 0]);
  });

  test('quiet hours may be several windows, each with its own days, zone and end (B16)', async () => {
    const { policy } = await configOf(`
      quiet_hours:
        - { from: "22:00", to: "07:00", timezone: Europe/Berlin }
        - { from: "0:00", to: "0:00", days: [sat, sun], timezone: Europe/Berlin, then: discard }
    `);

    assert.deepEqual(
      policy.quietHours.map(({ from, days, meanwhile }) => [from, days, meanwhile.type]),
      [
        [22 * 60, null, 'hold'],
        [0, [6, 0], 'discard'],
      ],
    );
  });

  test('quiet hours may name channels, and are on the clock of this machine by default', async () => {
    const { policy } = await configOf(
      'quiet_hours: { from: "0:00", to: "6:00", then: { channels: desktop } }',
    );

    const [night] = policy.quietHours;
    assert.deepEqual(night?.meanwhile, { type: 'channels', channels: ['desktop'] });
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    assert.equal(night.timezone, here);
  });

  test('steps repeat and have conditions', async () => {
    const { policy } = await configOf(`
      plans:
        insist:
          - notify: desktop
            repeat: { every: 5m, at_most: 3 }
          - after: 10m
            notify: desktop
            if: { presence: away, hours: "09:00-18:00", attended: true }
      routes: [{ plan: insist }]
    `);

    const [first, second] = policy.plans['insist']?.steps ?? [];
    assert.deepEqual(first?.repeat, { everyMs: 300_000, atMost: 3 });
    assert.equal(first?.condition, null);
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    assert.deepEqual(second?.condition, {
      presence: 'away',
      hours: { from: 540, to: 1_080, timezone },
      attended: true,
    });
  });
});

describe('The rest of a configuration', () => {
  test('templates, history and api are taken as they are', async () => {
    const { templates, history, api } = await configOf(`
      templates: { title: { default: "{project}", turn.done: x }, body: { prompt: "{message}" } }
      history: { keep: 1d, max_size: 2GB }
      api:
        base_url: http://127.0.0.1:8080/x
        key: { command: [pass, show, key] }
        readiness_path: /api/reports
        max_message_size: 2MB
    `);

    assert.deepEqual(templates, {
      title: { default: '{project}', 'turn.done': 'x' },
      body: { prompt: '{message}' },
    });
    assert.deepEqual(history, { keepMs: 86_400_000, maxBytes: 2_000_000_000 });
    assert.deepEqual(api, {
      baseUrl: 'http://127.0.0.1:8080/x',
      appUrl: null,
      key: { command: ['pass', 'show', 'key'] },
      jwt: null,
      readinessPath: '/api/reports',
      maxMessageBytes: 2_000_000,
      allowHttp: false,
      holdStop: null,
    });
  });
});

test('heartbeat is every five minutes unless the file says otherwise, and none without an address', async () => {
  const { heartbeat } = await configOf('heartbeat: { url: { env: PING } }');
  const fast = await configOf('heartbeat: { url: { env: PING }, every: 30s }');
  const none = await configOf('channels: {}');

  assert.deepEqual(heartbeat, { url: { env: 'PING' }, everyMs: 300_000 });
  assert.equal(fast.heartbeat?.everyMs, 30_000);
  assert.equal(none.heartbeat, null);
});

describe('Secrets in a configuration', () => {
  const text = `
    channels:
      team: { type: slack, webhook: https://hooks.slack.com/services/T0/B0/abc }
      mate: { type: slack, webhook: { env: HOOK }, username: xoxb-1234567890-abcdef }
    api: { key: fk-plain }
    heartbeat: { url: https://example.com/ping/token }
  `;

  test('are masked in what is shown (T12)', async () => {
    const { raw } = await configOf(text);

    assert.deepEqual(raw, {
      channels: {
        team: { type: 'slack', webhook: '***' },
        mate: {
          type: 'slack',
          webhook: { env: 'HOOK' },
          username: '[redacted:slack-token]',
        },
      },
      plans: {},
      routes: [
        { match: { severity: ['warning', 'critical'] }, notify: ['team', 'mate'] },
        { match: { kind: 'turn.done', longer_than: '20s' }, notify: ['team', 'mate'] },
      ],
      history: { keep: '90d', max_size: '500MB' },
      api: { key: '***' },
      heartbeat: { url: '***' },
    });
  });

  test('are warned of by the place where they stand, without their value (T12)', async () => {
    const warnings = secretWarnings(await configOf(text));

    assert.deepEqual(warnings, [
      '"channels.team.webhook" is a secret in plain text: write { env: NAME }, { file: PATH } or { command: [PROGRAM] } instead',
      '"api.key" is a secret in plain text: write { env: NAME }, { file: PATH } or { command: [PROGRAM] } instead',
      '"heartbeat.url" is a secret in plain text: write { env: NAME }, { file: PATH } or { command: [PROGRAM] } instead',
    ]);
  });
});

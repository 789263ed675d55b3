import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { NotFoundError } from '../../../src/platform/errors.ts';
import { commandLine } from '../../support/command-line.ts';
import {
  hostileText,
  sampleEventDeliveryView,
  sampleEventView,
} from '../../support/sample-views.ts';

const CONFIG = '.config/hookbell/config.yaml';
const config = `
channels: { desktop: { type: desktop } }
routes:
  - { match: { kind: waiting }, notify: desktop }
  - { match: { kind: turn.done, longer_than: 30s }, notify: desktop }
`;
const shortTurn = sampleEventView({
  event: 'Stop',
  kind: 'turn.done',
  facts: { agent: 'claude' },
  payload: '{"hook_event_name":"Stop","session_id":"s1"}',
  turnMs: 2_000,
  decisions: [
    { stage: 'classify', verdict: 'pass', reason: 'claude "Stop" means turn.done' },
    {
      stage: 'route',
      verdict: 'stop',
      reason: 'No route matches turn.done after a turn of 2 s',
    },
  ],
  deliveries: [],
});

describe('hookbell explain', () => {
  test('shows the whole path of an event: facts, meaning, text, decisions, deliveries, attempts', async () => {
    await using cli = await commandLine();
    const retrying = sampleEventDeliveryView({
      channel: 'team',
      state: 'retrying',
      step: 1,
      sentAt: null,
      dueAt: '2026-03-01T10:02:00.000Z',
      reason: 'Slack answered 503',
      possibleDuplicate: true,
      log: [
        {
          number: 1,
          startedAt: '2026-03-01T10:01:00.000Z',
          durationMs: 12_400,
          outcome: 'retry',
          reason: 'Slack answered 503',
        },
      ],
    });
    const dead = {
      ...retrying,
      channel: 'mail',
      state: 'dead',
      reason: 'The channel is gone',
    } as const;
    const deliveries = [
      sampleEventDeliveryView(),
      retrying,
      { ...dead, possibleDuplicate: false, log: [] },
    ];
    await cli.serve({ 'GET /v1/events': () => Promise.resolve(sampleEventView({ deliveries })) });

    const { code, stdout } = await cli.run(['explain']);

    for (const line of [
      'Event f3a1c2d4-aaaa-4bbb-8ccc-000000000001',
      '  received  2026-03-01 10:00:00, read 3 ms later',
      '  from      claude, event "Notification"',
      '  means     needs.permission (warning)',
      '  directory /home/dev/shop',
      '  text      Claude needs your permission to use Bash',
      '  facts     tmux_pane=%3',
      '  classify  pass    claude "Notification" means needs.permission',
      '  desktop sent, step 1, at 2026-03-01 10:00:00, 35 ms after the event',
      '    attempt 1 at 2026-03-01 10:00:00, delivered after 25 ms',
      '  team retrying, step 2, due 2026-03-01 10:02:00 (may have arrived twice)',
      '  mail dead, step 2, due 2026-03-01 10:02:00: The channel is gone',
      '    attempt 1 at 2026-03-01 10:01:00, retry after 12 s: Slack answered 503',
    ]) {
      assert.ok(stdout.split('\n').includes(line), `${line}\nis missing in\n${stdout}`);
    }
    assert.ok(!stdout.includes('hook_event_name'));
    assert.equal(code, 0);
  });

  test('shows the UTC time of a reason as the local time, like all others, and --json as it is', async () => {
    await using cli = await commandLine();
    const at = new Date(2026, 2, 1, 7, 30);
    const reason = `Quiet hours until ${at.toISOString()}: "desktop" is held`;
    const event = sampleEventView({ decisions: [{ stage: 'mute', verdict: 'note', reason }] });
    await cli.serve({ 'GET /v1/events': () => Promise.resolve(event) });

    const shown = await cli.run(['explain']);
    const json = await cli.run(['explain', '--json']);

    assert.match(
      shown.stdout,
      /^ {2}mute +note +Quiet hours until 2026-03-01 07:30:00: "desktop" is held$/m,
    );
    assert.doesNotMatch(shown.stdout, /\dT\d/);
    assert.equal(JSON.parse(json.stdout).decisions[0].reason, reason);
  });

  test('--verbose lays the payload out, without what could deceive a terminal (T7)', async () => {
    await using cli = await commandLine();
    const payload = JSON.stringify({ message: 'a\u009b31mb\u202ec', deep: { key: 1 } });
    await cli.serve({ 'GET /v1/events': () => Promise.resolve(sampleEventView({ payload })) });

    const { stdout } = await cli.run(['explain', '--verbose']);

    assert.ok(
      stdout.endsWith(
        'Payload\n  {\n    "message": "abc",\n    "deep": {\n      "key": 1\n    }\n  }\n',
      ),
    );
  });

  test('--verbose shows a payload that is not JSON unchanged', async () => {
    await using cli = await commandLine();
    await cli.serve({
      'GET /v1/events': () => Promise.resolve(sampleEventView({ payload: '{"a": \u001b[2J' })),
    });

    const { stdout } = await cli.run(['explain', '--verbose']);

    assert.ok(stdout.endsWith('Payload\n  {"a":\n'));
  });

  test('asks for the event whose id is given, and for the last one without', async () => {
    await using cli = await commandLine();
    const asked: unknown[] = [];
    const event = sampleEventView({ deliveries: [], body: hostileText });
    await cli.serve({
      'GET /v1/events': ({ part }) => {
        asked.push(part);
        return Promise.resolve(event);
      },
    });

    const { stdout } = await cli.run(['explain', 'f3a1', '--json']);
    const { stdout: shown } = await cli.run(['explain']);

    assert.deepEqual(asked, ['f3a1', 'last']);
    assert.deepEqual(JSON.parse(stdout), event);
    assert.match(shown, /^ {2}text {6}eviltext\n {12}forged line$/m);
    assert.match(shown, /none: no notification was sent/);
  });

  test('an id that no event has ends with 6 and says what to run', async () => {
    await using cli = await commandLine();
    await cli.serve({
      'GET /v1/events': () =>
        Promise.reject(new NotFoundError('No event has the id "x"', { hint: 'Run "y"' })),
    });

    assert.deepEqual(await cli.run(['explain', 'x']), {
      code: 6,
      stdout: '',
      stderr: 'hookbell: No event has the id "x"\n  Run "y"\n',
    });
  });

  test('says for what no route fits which condition of which route would have had to differ', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, config);
    await cli.serve({ 'GET /v1/events': () => Promise.resolve(shortTurn) });

    const { stdout } = await cli.run(['explain']);
    const json = JSON.parse((await cli.run(['explain', '--json'])).stdout);

    assert.ok(
      stdout.endsWith(`What would have to change
  One of these routes would have to match
  routes[0] -> routes[0]
      kind does not hold: turn.done, wanted needs.permission or needs.input
  routes[1] -> routes[1]
      longer_than does not hold: 2 s, wanted more than 30 s
`),
      stdout,
    );
    assert.deepEqual(json, {
      ...shortTurn,
      tree: [
        {
          route: 'routes[0]',
          plan: 'routes[0]',
          taken: false,
          unfit: [
            { condition: 'kind', wanted: 'needs.permission or needs.input', actual: 'turn.done' },
          ],
        },
        {
          route: 'routes[1]',
          plan: 'routes[1]',
          taken: false,
          unfit: [{ condition: 'longer_than', wanted: 'more than 30 s', actual: '2 s' }],
        },
      ],
    });
  });

  test('says when a route of the configuration as it is now takes it, and when there is none', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, config.replace('30s', '1s'));
    await cli.serve({ 'GET /v1/events': () => Promise.resolve(shortTurn) });

    const changed = await cli.run(['explain']);
    await cli.write(CONFIG, 'routes: 5\n');
    const broken = await cli.run(['explain']);

    assert.match(changed.stdout, /^ {2}With the current configuration, routes\[1\] matches it$/m);
    assert.match(changed.stdout, /^> routes\[1\] -> routes\[1\]$/m);
    assert.match(broken.stdout, /^ {2}A route would have to match, but the configuration is not/m);
    assert.equal(broken.code, 0);
  });

  test('says of an event that earlier ones made no news why, and nothing of routes that its payload fits', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, config);
    const reminder = sampleEventView({
      event: 'Notification',
      kind: 'activity',
      facts: { agent: 'claude' },
      payload:
        '{"hook_event_name":"Notification","notification_type":"idle_prompt","session_id":"s1","message":"Claude is waiting for your input"}',
      decisions: [
        { stage: 'classify', verdict: 'pass', reason: 'claude "Notification" means needs.input' },
        { stage: 'classify', verdict: 'note', reason: 'Taken for activity: a reminder of a turn' },
        { stage: 'route', verdict: 'stop', reason: 'No route matches activity' },
      ],
      deliveries: [],
    });
    await cli.serve({
      'GET /v1/events': () => Promise.resolve(reminder),
      'GET /v1/history': () => Promise.resolve([reminder]),
      'GET /v1/mutes': () => Promise.resolve([]),
    });

    const explained = await cli.run(['explain']);
    const listed = await cli.run(['history']);

    assert.match(explained.stdout, /^ {2}Nothing: it is a reminder of a turn$/m);
    assert.doesNotMatch(explained.stdout, /routes\[0\]/);
    assert.match(listed.stdout, /silent: a reminder of a turn$/m);
  });

  test('shows the event that notified you where the last one only repeats it (B13)', async () => {
    await using cli = await commandLine();
    const request = sampleEventView({ eventId: 'aaaaaaaa-1', event: 'PermissionRequest' });
    const stop = { stage: 'repeat', verdict: 'stop', reason: 'Already reported' } as const;
    const notification = sampleEventView({
      eventId: 'bbbbbbbb-2',
      deliveries: [],
      decisions: [stop],
    });
    const asked: unknown[] = [];
    await cli.serve({
      'GET /v1/events': ({ part }) =>
        Promise.resolve(part === request.eventId ? request : notification),
      'GET /v1/history': ({ query }) => {
        asked.push(Object.fromEntries(query));
        return Promise.resolve([request]);
      },
    });

    const { stdout, stderr } = await cli.run(['explain']);

    assert.match(stdout, /^Event aaaaaaaa-1\n/);
    assert.match(stderr, /repeats this one: see "hookbell explain bbbbbbbb"/);
    assert.deepEqual(asked, [{ session: 's1', before: 'bbbbbbbb-2', limit: '50' }]);
  });

  for (const [stage, sentence] of [
    ['classify', /explain the first of the two/],
    ['repeat', /A different question notifies immediately/],
    ['plan', /The plan would have to name a channel/],
    ['mute', /"hookbell mute off" removes a mute/],
  ] as const) {
    test(`says in a sentence what would have to change for a stop at "${stage}"`, async () => {
      await using cli = await commandLine();
      const decisions = [{ stage, verdict: 'stop', reason: 'So it is' }] as const;
      const silent = sampleEventView({ decisions, deliveries: [] });
      const told = sampleEventView({ decisions });
      await cli.serve({
        'GET /v1/events': ({ part }) => Promise.resolve(part === 'told' ? told : silent),
      });

      const { stdout } = await cli.run(['explain', 'silent']);
      const other = await cli.run(['explain', 'told']);

      assert.match(stdout.split('What would have to change\n')[1] ?? '', sentence);
      assert.ok(!other.stdout.includes('What would have'));
    });
  }
});

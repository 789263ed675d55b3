import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { describe, test } from 'node:test';
import { channelCatalog } from '../../src/channels/registry.ts';
import { parseConfig } from '../../src/config/load.ts';
import { problemsOf, warningsOf } from '../support/config-text.ts';

const NO_DURATION = ', expected a number with a unit, such as 500ms, 30s, 2m, 1h30m or 90d';

const table: readonly { name: string; text: string; problems: readonly string[] }[] = [
  {
    name: 'unknown keys, each at its place',
    text: 'chanels: {}\nroutes: []\nsecrets: {}',
    problems: [
      '1:1 chanels: is unknown here, did you mean "channels"?',
      '3:1 secrets: is unknown here',
    ],
  },
  {
    name: 'times, hours and time zones',
    text: 'quiet_hours: { from: 22:00, to: "25:00", timezone: Mars/Olympus }\nroutes: [{ match: { hours: all day }, notify: desktop }]',
    problems: [
      '1:33 quiet_hours.to: is not a time of day, expected one such as "07:30" or "22:00"',
      '1:52 quiet_hours.timezone: is not a time zone, expected a name such as Europe/Berlin or UTC',
      '2:28 routes[0].match.hours: is not a range of hours, expected one such as "09:00-18:00"',
    ],
  },
  {
    name: 'quiet hours that never end',
    text: 'quiet_hours:\n  from: "8:00"\n  to: "08:00"\n  days: [mon, tue, wed, thu, fri, sat, sun]',
    problems: [
      '3:7 quiet_hours.to: is the same as "from", so quiet hours never end: set another time or, for whole days, add "days", such as "days: [sat, sun]"',
    ],
  },
  {
    name: 'several quiet hours that never end together',
    text: 'quiet_hours:\n  - { from: "0:00", to: "12:00" }\n  - { from: "12:00", to: "0:00", days: [mon] }\n  - { from: "12:00", to: "6:00", days: [sun, tue, wed, thu, fri, sat] }',
    problems: ['2:3 quiet_hours: covers the whole week, so quiet hours never end'],
  },
  {
    name: 'one of several quiet hours',
    text: 'quiet_hours:\n  - { from: "22:00", to: "7:00" }\n  - { from: "25:00", to: "7:00", then: { channels: [desktp] } }',
    problems: [
      '3:13 quiet_hours[1].from: is not a time of day, expected one such as "07:30" or "22:00"',
      '3:53 quiet_hours[1].then.channels[0]: names the unknown channel "desktp", did you mean "desktop"?',
    ],
  },
  {
    name: 'a channel of one of several quiet hours',
    text: 'quiet_hours:\n  - { from: "22:00", to: "6:00", then: { channels: [desktp] } }',
    problems: [
      '2:53 quiet_hours[0].then.channels[0]: names the unknown channel "desktp", did you mean "desktop"?',
    ],
  },
  {
    name: 'channels of quiet hours',
    text: 'quiet_hours: { from: "22:00", to: "6:00", then: { channels: [desktp] } }',
    problems: [
      '1:62 quiet_hours.then.channels[0]: names the unknown channel "desktp", did you mean "desktop"?',
    ],
  },
  {
    name: 'unknown keys of a channel, with the keys of every channel as candidates',
    text: 'channels:\n  team: { type: slack, webhok: x, timout: 3s }',
    problems: [
      '2:3 channels.team.webhook: is missing, expected text or a mapping',
      '2:24 channels.team.webhok: is not an option of channel type "slack", did you mean "webhook"?',
      '2:35 channels.team.timout: is not an option of channel type "slack", did you mean "timeout"?',
    ],
  },
  {
    name: 'unknown keys deep in the options of a channel',
    text: 'channels: { log: { type: log, path: x, rotate: { fils: 3 } } }',
    problems: ['1:50 channels.log.rotate.fils: is unknown here, did you mean "files"?'],
  },
  {
    name: 'types of channels',
    text: 'channels: { a: { type: slakc }, b: { type: fax }, c: {}, d: { type: 1 }, e: desktop }',
    problems: [
      '1:24 channels.a.type: names the unknown type "slakc", did you mean "slack"?',
      '1:44 channels.b.type: names the unknown type "fax", expected one of desktop, slack, log',
      '1:54 channels.c: has no "type", expected one of desktop, slack, log',
      '1:61 channels.d: has a "type" that is not text, expected one of desktop, slack, log',
      '1:77 channels.e: is text, expected a mapping',
    ],
  },
  {
    name: 'a channel of type inbox',
    text: 'channels: { inbox: { type: desktop }, b: { type: inbox } }',
    problems: [
      '1:13 channels.inbox: is the name of the built-in inbox, which is always on',
      '1:50 channels.b.type: names the unknown type "inbox", expected one of desktop, slack, log',
    ],
  },
  {
    name: 'names that are none',
    text: 'channels: { "a b": { type: desktop } }\nplans: { "[x]": [{ notify: inbox }] }',
    problems: [
      '1:13 channels.a b: is not a name: use letters, digits, "_", "-" and ".", starting with a letter or digit',
      '2:10 plans.[x]: is not a name: use letters, digits, "_", "-" and ".", starting with a letter or digit',
    ],
  },
  {
    name: 'text that YAML does not see as text (P51)',
    text: 'channels:\n  team: { type: slack, webhook: x, username: #alerts\n    }\n  log: { type: log, path: 012 }',
    problems: [
      '2:46 channels.team.username: is empty, expected text (quote values that begin with #)',
      '4:27 channels.log.path: is a number, expected text (put it in quotes)',
    ],
  },
  {
    name: 'secrets that are none, without showing them',
    text: 'channels:\n  a: { type: slack, webhook: { evn: X } }\n  b: { type: slack, webhook: { env: A, file: B } }\n  c: { type: slack, webhook: 12345678 }',
    problems: [
      '2:21 channels.a.webhook.env: is missing, expected text',
      '2:32 channels.a.webhook.evn: is unknown here, did you mean "env"?',
      '3:30 channels.b.webhook: is not valid, expected: A secret: { env }, { file } or { command }',
      '4:30 channels.c.webhook: is a number, expected text or a mapping (put it in quotes)',
    ],
  },
  {
    name: 'durations and sizes without a unit, or out of bounds',
    text: 'channels: { d: { type: desktop, timeout: 30, rate: { every: 5 minutes } } }\nhistory: { keep: 5m, max_size: 500 }',
    problems: [
      `1:42 channels.d.timeout: is not a duration: 30${NO_DURATION}`,
      `1:61 channels.d.rate.every: is not a duration: "5 minutes"${NO_DURATION}`,
      '2:18 history.keep: is shorter than 1h',
      '2:32 history.max_size: is not a size: 500, expected a number with a unit, such as 200kB, 500MB or 2GB',
    ],
  },
  {
    name: 'times to settle',
    text: 'channels: { d: { type: desktop, settle: 30 } }\nalerts: { settle: { near: 1h, fra: 1s } }',
    problems: [
      `1:41 channels.d.settle: is not a duration: 30${NO_DURATION}`,
      '2:27 alerts.settle.near: is longer than 10m',
      '2:31 alerts.settle.fra: is unknown here, did you mean "far"?',
    ],
  },
  {
    name: 'numbers that are none, and one that must be above a bound',
    text: 'budget: { organization: 0, models: { "*": -1 }, thresholds: [.nan, .inf] }',
    problems: [
      '1:25 budget.organization: is not above 0',
      '1:43 budget.models.*: is not above 0',
      '1:62 budget.thresholds[0]: is NaN, expected a number',
      '1:68 budget.thresholds[1]: is Infinity, expected a number',
    ],
  },
  {
    name: 'names of channels, wherever they stand',
    text: 'channels: { team: { type: slack, webhook: x } }\nplans: { a: [{ notify: [taem, team] }] }\nroutes:\n  - notify: desktop\n    also: true\n  - plan: [{ notify: pager }]\n    match: { kind: nonsense }',
    problems: [
      '2:25 plans.a[0].notify[0]: names the unknown channel "taem", did you mean "team"?',
      '4:13 routes[0].notify: names the unknown channel "desktop", add "desktop: { type: desktop }" to channels',
      '6:22 routes[1].plan[0].notify: names the unknown channel "pager"',
      '7:20 routes[1].match.kind: is not one of "session.start", "session.end", "prompt", "tool.done", "turn.done", "turn.failed", "turn.interrupted", "needs.permission", "needs.input", "subagent.done", "message", "activity", "notice", "notice.over", "digest", "waiting", "failed", "done", "*"',
    ],
  },
  {
    name: 'names of plans',
    text: 'plans: { none: [{ notify: desktop }], nigth: [{ notify: desktop }] }\nroutes: [{ plan: night }]',
    problems: [
      '1:10 plans.none: is a built-in plan that sends nothing, choose another name',
      '2:18 routes[0].plan: names the unknown plan "night", did you mean "nigth"?',
    ],
  },
  {
    name: 'conditions',
    text: 'routes:\n  - match: { kind: turn.dne, agent: [claude, cluade], longer_than: 30, subagent: yes, severity: [] }\n    plan: none',
    problems: [
      '2:20 routes[0].match.kind: is unknown, did you mean "turn.done"?',
      '2:46 routes[0].match.agent[1]: is unknown, did you mean "claude"?',
      `2:68 routes[0].match.longer_than: is not a duration: 30${NO_DURATION}`,
      '2:82 routes[0].match.subagent: is text, expected true or false',
      '2:97 routes[0].match.severity: is an empty list',
    ],
  },
  {
    name: 'routes without a plan, with two, or that are none',
    text: 'routes:\n  - match: { kind: waiting }\n  - { plan: none, notify: desktop }\n  - desktop\n  - notify: 12',
    problems: [
      '2:5 routes[0]: has neither "plan" nor "notify", expected one',
      '3:5 routes[1]: has both "plan" and "notify", expected one',
      '4:5 routes[2]: is text, expected a mapping',
      '5:13 routes[3].notify: is a number, expected text or a list (put it in quotes)',
    ],
  },
  {
    name: 'routes that can never be reached',
    text: 'routes:\n  - { match: { kind: [waiting, turn.failed] }, plan: none }\n  - { match: { kind: needs.input, agent: claude }, plan: none }\n  - { match: { longer_than: 1m }, plan: none }\n  - { match: { kind: turn.done, longer_than: 2m }, plan: none }\n  - { match: { kind: session.end, reason: error }, plan: none }\n  - { match: { kind: session.end }, plan: none }\n  - { match: {}, plan: none }\n  - { plan: none }',
    problems: [
      '3:5 routes[1]: can never be reached: routes[0] matches all of its events, move it up or set "also: true" there',
      '5:5 routes[3]: can never be reached: routes[2] matches all of its events, move it up or set "also: true" there',
      '9:5 routes[7]: can never be reached: routes[6] matches all of its events, move it up or set "also: true" there',
    ],
  },
  {
    name: 'steps that are not in the order of time',
    text: 'plans: { a: [{ notify: desktop }, { notify: inbox }, { after: 1h, notify: inbox }, { after: 2m, notify: inbox }] }',
    problems: [
      '1:35 plans.a[1].after: is not later than "after" of the previous step',
      '1:93 plans.a[3].after: is not later than "after" of the previous step',
    ],
  },
  {
    name: 'steps for no kind of person, and an interval without a group',
    text: 'plans: { a: [{ notify: inbox, to: ada }, { after: 1m, notify: inbox, to: "group:" }, { after: 2m, notify: inbox, each: 1m }] }\nroutes: [{ plan: a }]',
    problems: [
      '1:35 plans.a[0].to: is none of "owner", "group:NAME" and the address of a person',
      '1:74 plans.a[1].to: is none of "owner", "group:NAME" and the address of a person',
      '1:120 plans.a[2].each: is the interval between the members of a group, and "to" names none',
    ],
  },
  {
    name: 'templates',
    text: 'templates: { title: { default: "{projct} {nonsense}", turn.dne: x }, body: { default: } }',
    problems: [
      '1:32 templates.title.default: has the unknown placeholder {projct}, did you mean "project"?',
      '1:32 templates.title.default: has the unknown placeholder {nonsense}, expected one of active, agent, changes, computer, credits, duration, event, input, kind, message, project, reason, session, session_id, title, tool',
      '1:55 templates.title.turn.dne: is unknown here, did you mean "turn.done"?',
      '1:87 templates.body.default: is empty, expected text (quote values that begin with #)',
    ],
  },
  {
    name: 'addresses that are not web addresses (P61)',
    text: 'api: { base_url: "javascript:alert(1)", app_url: "file:///etc" }',
    problems: [
      '1:18 api.base_url: is not a URL that begins with http:// or https://',
      '1:50 api.app_url: is not a URL that begins with http:// or https://',
    ],
  },
  {
    name: 'addresses that hold more than an address, and a path that leads elsewhere (T12)',
    text: 'api: { base_url: "https://me:pw@x.example", app_url: "https://x.example/?key=1", readiness_path: "/a/../b" }',
    problems: [
      '1:18 api.base_url: contains a user name, a query or a fragment, expected only an address',
      '1:54 api.app_url: contains a user name, a query or a fragment, expected only an address',
      '1:98 api.readiness_path: contains a dot segment',
    ],
  },
  {
    name: 'a document that is not a mapping',
    text: '- desktop',
    problems: ['1:1: is a list, expected a mapping'],
  },
  {
    name: 'sections that are empty',
    text: 'channels:\nroutes: []\n',
    problems: ['1:10 channels: is empty, expected a mapping'],
  },
  {
    name: 'what YAML itself refuses or warns of (P50, P52)',
    text: 'channels: { a: 1, a: 2 }\nplans: !secret x',
    problems: ['1:19: Map keys must be unique', '2:8: Unresolved tag: !secret'],
  },
  {
    name: 'a %YAML directive (P51)',
    text: '%YAML 1.1\n---\nchannels: {}',
    problems: ['1:1: Remove the %YAML directive: hookbell reads YAML 1.2'],
  },
  {
    name: 'keys that are not text or reach a prototype (fault 43)',
    text: 'channels: { __proto__: { type: desktop } }\n? [a]\n: 1',
    problems: ['1:13: A key must be plain text', '2:3: A key must be plain text'],
  },
];

describe('parseConfig() finds', () => {
  for (const { name, text, problems } of table) {
    test(name, async () => {
      assert.deepEqual(await problemsOf(text), problems);
    });
  }
});

test('parseConfig() shows what the file holds on one line, cut and without control characters', async () => {
  const [escaped = ''] = await problemsOf('"a\\e[31m\\n\\u202eb": 1');
  const [long = ''] = await problemsOf(`routes: [{ plan: ${'x'.repeat(10_000)} }]`);

  assert.equal(escaped, '1:1 a b: is unknown here');
  assert.ok(long.length < 600 && long.endsWith('…'), long);
});

test('parseConfig() never repeats what stands in the options of a channel (T12)', async () => {
  const secret = 'hunter2-very-secret';
  for (const options of [
    `webhook: [${secret}]`,
    `webhook: { env: [${secret}] }`,
    `webhook: { command: ${secret} }`,
    `webhook: { env: X, file: ${secret} }`,
    `webhook: x, username: [${secret}]`,
    `webhook: x, body: ${secret}`,
    `webhook: x, max_attempts: ${secret}`,
  ]) {
    const problems = await problemsOf(`channels: { team: { type: slack, ${options} } }`);

    assert.notDeepEqual(problems, []);
    assert.ok(!problems.join().includes(secret), problems.join());
  }
});

describe('parseConfig() accepts', () => {
  test('a second route after one with "also", and one that is wider than an earlier one', async () => {
    const text =
      'routes:\n  - { match: { kind: waiting }, notify: desktop, also: true }\n  - { match: { kind: waiting }, plan: none }\n  - { match: { agent: claude, subagent: true }, plan: none }\n  - { match: { agent: claude }, plan: none }\n  - { match: { agent: droid, longer_than: 2m }, plan: none }\n  - { match: { agent: droid, longer_than: 1m }, plan: none }\n  - { plan: none }';

    assert.deepEqual(await problemsOf(text), []);
  });

  test('names that objects have by themselves', async () => {
    const text =
      'channels: { constructor: { type: desktop }, toString: { type: desktop } }\nplans: { valueOf: [{ notify: [constructor, toString] }] }\nroutes: [{ plan: valueOf }]';

    assert.deepEqual(await problemsOf(text), []);
    assert.deepEqual(await problemsOf('routes: [{ plan: constructor }]'), [
      '1:18 routes[0].plan: names the unknown plan "constructor"',
    ]);
  });

  test('but warns of channels and plans that nothing uses', async () => {
    const text =
      'channels:\n  desktop: { type: desktop }\n  team: { type: slack, webhook: x }\nplans:\n  late: [{ notify: team }]\nroutes: [{ notify: desktop }]';

    assert.deepEqual(await warningsOf(text), [
      '3:3 channels.team: receives no notifications: no route uses it',
      '5:3 plans.late: is unused: no route names it',
    ]);
    assert.deepEqual(await warningsOf('channels: { team: { type: slack, webhook: x } }'), []);
  });
});

async function realProblems(text: string): Promise<readonly string[]> {
  const loaded = await parseConfig(text, 'c.yaml', { catalog: channelCatalog });
  return loaded.ok ? [] : loaded.problems.map(({ message }) => message);
}

test('parseConfig() names the form that works for what people write by mistake (B16)', async () => {
  const mail = 'channels: { mail: { type: email, to: a@b.de, smtp: { host: HOST } } }\n';

  assert.match(
    (await realProblems('routes: [{ match: {}, notify: none }]\n')).join(),
    /use "plan: none"/,
  );
  assert.match(
    (await realProblems('quiet_hours: "22:00-07:00"\n')).join(),
    /expected \{ from: "22:00", to: "07:00" \}/,
  );
  assert.match(
    (await realProblems(mail.replace('HOST', 'localhost:2525'))).join(),
    /which belongs in "port"/,
  );
});

test('parseConfig() takes "~" in the glob of a project for the home directory (B11)', async () => {
  const text = 'routes: [{ match: { project: "~/work/*" }, notify: inbox }]\n';

  const loaded = await parseConfig(text, 'c.yaml', { catalog: channelCatalog });

  const [route] = loaded.ok ? loaded.config.policy.routes : [];
  assert.deepEqual(route?.match.project, [`${homedir()}/work/*`]);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';

import { dayOf } from '../../../../src/vendor/client/index.ts';
import { KEY_VARIABLE, remoteCommandLine } from '../../../support/remote-command-line.ts';

const Items = z.array(z.looseObject({}));

describe('"hookbell service api METHOD PATH"', () => {
  test('prints what the service sent, and sends what the typed call refuses (acceptance 045, 081)', async () => {
    await using remote = await remoteCommandLine();
    const today = dayOf(Date.now());
    const path = '/api/v1/analytics/tokens';

    const grouped = await remote.run([
      'service',
      'api',
      'get',
      path,
      '-f',
      'group_by=colour',
      '-f',
      'startDate=2026-02-01',
      '--field',
      'endDate=2026-02-02',
    ]);
    const late = await remote.run([
      'service',
      'api',
      'GET',
      `${path}?startDate=${today}&endDate=${today}`,
    ]);
    const typed = await remote.run([
      'service',
      'api',
      'analytics.tokens',
      '--group_by',
      'colour',
      '--startDate',
      '2026-02-01',
      '--endDate',
      '2026-02-02',
    ]);

    const [first, second, ...others] = remote.mock.requests();
    assert.deepEqual(first?.query, {
      group_by: 'colour',
      startDate: '2026-02-01',
      endDate: '2026-02-02',
    });
    assert.equal(grouped.code, first?.sent === 200 ? 0 : 1);
    assert.deepEqual([second?.sent, late.code], [400, 1]);
    assert.match(late.stdout, /"detail":"Data is available/);
    assert.match(late.stderr, /returned 400: .*available through yesterday.* \(request id "/);
    assert.deepEqual([typed.code, others], [2, []]);
    assert.match(typed.stderr, /group_by: expected "model"/);
  });

  test('makes a body of fields: texts, JSON, files and nested ones', async () => {
    await using remote = await remoteCommandLine();
    const [session] = remote.mock.state().sessions;
    const path = `/api/v0/sessions/${session?.sessionId}`;
    await remote.cli.write('model.txt', 'from-a-file');

    const { code, stdout } = await remote.run([
      'service',
      'api',
      'PATCH',
      path,
      '-f',
      'sessionSettings[specModeModel]=7',
      '-F',
      'sessionSettings[model]=@model.txt',
      '-F',
      'sessionSettings[assistantActiveTimeMs]=7',
      '-F',
      'sessionSettings[enabledToolIds][]=Read',
      '-f',
      'sessionSettings[enabledToolIds][]=Edit',
    ]);

    assert.equal(code, 0, stdout);
    assert.deepEqual(JSON.parse(remote.mock.requests()[0]?.body ?? ''), {
      sessionSettings: {
        specModeModel: '7',
        model: 'from-a-file',
        assistantActiveTimeMs: 7,
        enabledToolIds: ['Read', 'Edit'],
      },
    });
  });

  test('takes a whole body from a file or from standard input', async () => {
    await using remote = await remoteCommandLine();
    const [session] = remote.mock.state().sessions;
    const words = ['service', 'api', 'PATCH', `/api/v0/sessions/${session?.sessionId}`, '--input'];
    const body = '{"sessionSettings":{"model":"piped"}}';

    const piped = await remote.run([...words, '-'], { input: body });
    const broken = await remote.run([...words, '-'], { input: '{"sess' });
    const missing = await remote.run([...words, 'nowhere.json']);

    assert.equal(piped.code, 0, piped.stderr);
    assert.deepEqual(
      remote.mock.requests().map((asked) => JSON.parse(asked.body)),
      [JSON.parse(body)],
    );
    assert.deepEqual([broken.code, missing.code], [2, 2]);
    assert.match(broken.stderr, /The content of "-" is not JSON/);
    assert.match(missing.stderr, /Cannot read "nowhere.json": it does not exist/);
  });

  for (const { path, words, least } of [
    { path: '/api/v0/sessions', words: ['-f', 'limit=20'], least: 47 },
    { path: '/api/organization/maturity-level-reports', words: ['-f', 'limit=4'], least: 9 },
    {
      path: '/api/v1/analytics/users',
      words: ['-f', 'startDate=2026-03-02', '-f', 'endDate=2026-03-06', '-f', 'limit=3'],
      least: 13,
    },
    { path: '/api/v0/computers', words: [], least: 6 },
  ]) {
    test(`--paginate makes one array of all items of ${path}`, async () => {
      await using remote = await remoteCommandLine();

      const { code, stdout, stderr } = await remote.run([
        'service',
        'api',
        'GET',
        path,
        '--paginate',
        ...words,
      ]);

      assert.equal(code, 0, stderr);
      const items = Items.parse(JSON.parse(stdout));
      const keys = new Set(items.map((item) => JSON.stringify(item)));
      assert.ok(keys.size === items.length && items.length >= least, `${items.length}`);
      assert.ok(words.length === 0 || remote.mock.requests().length > 2);
    });
  }

  test('C4: --paginate prints the pages before a cycle of cursors, then reports it, exit code 8', async () => {
    await using remote = await remoteCommandLine({
      faults: [{ effect: { kind: 'cursor', fault: 'cyclic' } }],
    });

    const { code, stdout, stderr } = await remote.run([
      'service',
      'api',
      'GET',
      '/api/v0/sessions',
      '--paginate',
      '-f',
      'limit=5',
    ]);

    const printed: unknown = JSON.parse(stdout);
    assert.ok(Array.isArray(printed) && printed.length >= 5);
    assert.equal(code, 8);
    assert.match(stderr, /the service repeated the cursor/);
  });

  test('--include prints status and headers, --verbose shows the request on standard error', async () => {
    await using remote = await remoteCommandLine();

    const { stdout, stderr } = await remote.run([
      'service',
      'api',
      'GET',
      '/api/v0/computers',
      '--include',
      '--verbose',
    ]);

    assert.match(stdout, /^HTTP 200\n(?:[\w-]+: .*\n)+\n\{\n/);
    assert.match(stderr, /^> GET http:\/\/127.0.0.1:\d+\/api\/v0\/computers\n/);
    assert.match(stderr, /\n< 200 after \d+ ms\n/);
    assert.doesNotMatch(stderr, /authorization/i);
  });

  test('--verbose shows of a body only which fields it has', async () => {
    await using remote = await remoteCommandLine();
    const session = remote.mock.state().sessions[0]?.sessionId ?? '';

    const { stderr } = await remote.run(['-v', 'reply', session, 'the launch code is 000']);

    assert.match(stderr, /> body: text \(24 characters\)/);
    assert.doesNotMatch(stderr, /launch code/);
  });

  test('--curl sends nothing and prints the key as the variable it is configured by', async () => {
    await using remote = await remoteCommandLine({ api: 'jwt: { env: "no name" }' });

    const raw = await remote.run(['service', 'api', 'PUT', '/api/v1/x', '-f', `a=it's`, '--curl']);
    const typed = await remote.run([
      'service',
      'api',
      'readiness.list',
      '--repoId',
      'a b',
      '--limit',
      '3',
      '--curl',
    ]);
    const v0 = await remote.run(['service', 'api', 'computers.list', '--curl']);

    assert.equal(
      raw.stdout,
      [
        'curl \\',
        '  --request PUT \\',
        `  --header "Authorization: Bearer $${KEY_VARIABLE}" \\`,
        `  --header 'Content-Type: application/json' \\`,
        String.raw`  --data '{"a":"it'\''s"}' \\`.replace('\\\\', '\\'),
        `  '${remote.mock.baseUrl}/api/v1/x'`,
        '',
      ].join('\n'),
    );
    assert.ok(
      typed.stdout.endsWith(
        `'${remote.mock.appUrl}/api/organization/maturity-level-reports?repoId=a+b&limit=3'\n`,
      ),
    );
    assert.match(v0.stdout, /Bearer \$HOOKBELL_API_KEY"/);
    assert.deepEqual(remote.mock.requests(), []);
  });

  test('hides secrets of settings and relay addresses (acceptance 161, 179, 180)', async () => {
    await using remote = await remoteCommandLine();

    const history = await remote.run([
      'service',
      'api',
      'GET',
      '/api/v0/organization/enterprise-controls/history',
      '-f',
      'limit=100',
    ]);
    const computers = await remote.run(['service', 'api', 'GET', '/api/v0/computers']);

    assert.match(history.stdout, /"apiKey": "\*\*\*"/);
    assert.doesNotMatch(history.stdout, /mock-secret/);
    assert.match(computers.stdout, /"relayClientUrl": "\*\*\*"/);
    assert.doesNotMatch(computers.stdout, /wss:|relay\./);
  });
});

describe('"hookbell service api"', () => {
  test('ls lists the routes, for people and with their parameters', async () => {
    await using remote = await remoteCommandLine();

    const people = await remote.run(['service', 'api', 'ls']);
    const listed = z
      .array(z.looseObject({ id: z.string(), parameters: z.array(z.looseObject({})) }))
      .parse(await remote.json(['service', 'api', 'ls']));

    assert.equal(people.stdout.trim().split('\n').length, 20);
    assert.match(people.stdout, /^ROUTE +METHOD +PATH +WHAT\n/);
    assert.equal(listed.length, 19);
    assert.deepEqual(listed.find(({ id }) => id === 'sessions.update')?.parameters, [
      {
        name: 'sessionId',
        in: 'path',
        type: 'text',
        required: true,
        description: 'Id of the session',
      },
      {
        name: 'sessionSettings',
        in: 'body',
        type: 'json',
        required: true,
        description: 'The settings to change; others keep their values',
      },
    ]);
  });

  test('openapi prints the document of this version', async () => {
    await using remote = await remoteCommandLine();

    const { code, stdout } = await remote.run(['service', 'api', 'openapi']);

    assert.equal(code, 0);
    assert.match(stdout, /"openapi": "3.1.0"/);
    assert.match(stdout, /not published by the vendor/);
  });

  test('ROUTE prints one page verbatim, unknown fields included, or all with --paginate (acceptance 223)', async () => {
    await using remote = await remoteCommandLine({
      faults: [{ effect: { kind: 'field', fault: 'extra', at: 'sessions.*' } }],
    });

    const page = z
      .looseObject({ sessions: Items, pagination: z.looseObject({}) })
      .parse(await remote.json(['service', 'api', 'sessions.list', '--limit', '5']));
    const all = Items.parse(
      await remote.json([
        'service',
        'api',
        'sessions.list',
        '--limit',
        '20',
        '--paginate',
        '--max',
        '30',
      ]),
    );

    assert.equal(page.sessions.length, 5);
    const known = new Set(Object.keys(remote.mock.state().sessions[0] ?? {}));
    const extra = Object.keys(page.sessions[0] ?? {}).filter((name) => !known.has(name));
    assert.ok(
      extra.some((name) => name !== 'messageCount'),
      extra.join(),
    );
    assert.equal(all.length, 30);
  });

  test('ROUTE refuses what cannot be right and sends nothing', async () => {
    await using remote = await remoteCommandLine();

    for (const [words, reason] of [
      [['sessions.list', '--limit', '101'], /limit: expected a whole number from 1 to 100/],
      [['sessions.list', '--limit', 'many'], /--limit is "many", expected a number/],
      [['org.setLimits', '--users', '{"'], /--users is not JSON/],
      [['sessions.get'], /Required option "--sessionId <text>" not specified/],
    ] as const) {
      const { code, stderr } = await remote.run(['service', 'api', ...words]);

      assert.equal(code, 2);
      assert.match(stderr, reason);
    }
    assert.deepEqual(remote.mock.requests(), []);
  });
});

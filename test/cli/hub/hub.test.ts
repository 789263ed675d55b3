import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { AuditCheck } from '../../../src/core/hub/hub-records.ts';
import { commandLine } from '../../support/command-line.ts';
import { harmlessText, hostileText } from '../../support/sample-views.ts';

const HASH = 'a'.repeat(64);

describe('hookbell hub', () => {
  test('"run" refuses a configuration that is not that of a hub, and names the page that shows one', async () => {
    await using cli = await commandLine();
    await cli.write('.config/hookbell/config.yaml', 'channels: { desktop: { type: desktop } }\n');

    const { code, stderr } = await cli.run(['hub', 'run']);

    assert.equal(code, 3);
    assert.match(stderr, /config\.yaml" has no section "hub"\n {2}.*hub.* shows a complete/);
  });

  test('"invite" prints the line for the person and until when it works', async () => {
    await using cli = await commandLine();
    const bodies: unknown[] = [];
    const invitation = {
      email: 'ada@example.com',
      code: 'AAAA-BBBB-CCCC-DDDD',
      url: 'https://hub.example.com',
      expiresAt: '2026-03-02T10:00:00.000Z',
    };
    await cli.serve({
      'POST /v1/hub-invite': ({ body }) => {
        bodies.push(body);
        return Promise.resolve(invitation);
      },
    });
    const words = ['hub', 'invite', 'Ada@example.com', '--name', 'Ada', '--team', 'shop'];

    const { code, stdout, stderr } = await cli.run(words);

    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'hookbell join https://hub.example.com --code AAAA-BBBB-CCCC-DDDD\n');
    assert.match(stderr, /to ada@example.com\. The code works once, until 2026-03-02T10:00:00/);
    assert.deepEqual(bodies, [{ email: 'Ada@example.com', name: 'Ada', team: 'shop' }]);
  });

  for (const [words, said] of [
    [['invite', 'ada'], '"ada" is not an email address'],
    [['import', 'none.csv'], 'Cannot read "none.csv": it does not exist'],
    [['import', '.'], 'Cannot read ".": it is a directory'],
  ] as const) {
    test(`"${words.join(' ')}" ends with 2 and says why`, async () => {
      await using cli = await commandLine();

      const { code, stderr } = await cli.run(['hub', ...words]);

      assert.deepEqual({ code, stderr }, { code: 2, stderr: `hookbell: ${said}\n` });
    });
  }

  test('"people" and "machines" of an empty hub name the command that adds someone', async () => {
    await using cli = await commandLine();
    await cli.serve({
      'GET /v1/hub-people': () => Promise.resolve([]),
      'GET /v1/hub-machines': () => Promise.resolve([]),
    });

    for (const [word, said] of [
      ['people', /^The hub has no people yet: run "hookbell hub invite ADDRESS"\n$/],
      ['machines', /^No machine has joined yet: run "hookbell hub invite ADDRESS"\n$/],
    ] as const) {
      const { code, stdout, stderr } = await cli.run(['hub', word]);

      assert.deepEqual([code, stdout], [0, '']);
      assert.match(stderr, said);
    }
  });

  test('"people" lists people with their machines, and shows who was removed', async () => {
    await using cli = await commandLine();
    const ada = {
      email: 'ada@example.com',
      name: hostileText,
      team: 'shop',
      source: 'invite',
      machines: ['desk', 'lap'],
      addedAt: '2026-03-01T10:00:00.000Z',
      removedAt: null,
    };
    const bob = { ...ada, email: 'bob@example.com', name: null, team: null, machines: [] };
    const people = [ada, { ...bob, removedAt: '2026-03-02T10:00:00.000Z' }];
    await cli.serve({ 'GET /v1/hub-people': () => Promise.resolve(people) });

    const { stdout } = await cli.run(['hub', 'people']);

    const [, first = '', second = ''] = stdout.split('\n');
    assert.deepEqual(
      first.split(/ {2,}/),
      ['ada@example.com', harmlessText, 'shop', 'desk lap', 'active'],
      stdout,
    );
    assert.deepEqual(second.split(/ {2,}/), ['bob@example.com', '-', '-', '-', 'removed'], stdout);
  });

  test('"machines" shows when each last sent something, and which are revoked', async () => {
    await using cli = await commandLine();
    const desk = {
      name: 'desk',
      person: 'ada@example.com',
      enrolledAt: '2026-01-01T10:00:00.000Z',
      heardAt: '2026-01-02T10:00:00.000Z',
      revokedAt: null,
    };
    const lap = { ...desk, name: 'lap', heardAt: null, revokedAt: '2026-01-03T10:00:00.000Z' };
    await cli.serve({ 'GET /v1/hub-machines': () => Promise.resolve([desk, lap]) });

    const { stdout } = await cli.run(['hub', 'machines']);

    assert.match(stdout, /^desk +ada@example\.com +\d+ d ago +\d+ d ago +active$/m);
    assert.match(stdout, /^lap +ada@example\.com +\d+ d ago +- +revoked$/m);
  });

  for (const [what, revoked, said] of [
    ['desk', { type: 'machine', machines: ['desk'] }, '"desk" can no longer send events\n'],
    [
      'ada@example.com',
      { type: 'person', machines: ['desk', 'lap'] },
      'Removed ada@example.com; revoked machines: desk, lap\n',
    ],
    [
      'bob@example.com',
      { type: 'person', machines: [] },
      'Removed bob@example.com; revoked machines: none\n',
    ],
  ] as const) {
    test(`"revoke ${what}" with ${revoked.machines.length} machines says what was revoked`, async () => {
      await using cli = await commandLine();
      const bodies: unknown[] = [];
      await cli.serve({
        'POST /v1/hub-revoke': ({ body }) => {
          bodies.push(body);
          return Promise.resolve(revoked);
        },
      });

      const { stderr } = await cli.run(['hub', 'revoke', what]);
      const json = await cli.run(['hub', 'revoke', what, '--json']);

      assert.equal(stderr, said);
      assert.deepEqual(JSON.parse(json.stdout), revoked);
      assert.deepEqual(bodies, [{ what }, { what }]);
    });
  }

  test('"audit" lists who did what to whom, one entry a line', async () => {
    await using cli = await commandLine();
    const rows = [
      {
        seq: 2,
        at: '2026-03-01T10:00:00.000Z',
        actor: 'ada@example.com',
        action: 'answer',
        target: null,
        detail: { via: hostileText },
      },
    ];
    const limits: (string | null)[] = [];
    let listed: typeof rows = [];
    await cli.serve({
      'GET /v1/hub-audit': ({ query }) => {
        limits.push(query.get('limit'));
        return Promise.resolve(listed);
      },
    });

    const empty = await cli.run(['hub', 'audit']);
    listed = rows;
    const full = await cli.run(['hub', 'audit', '--limit', '7']);

    assert.deepEqual([empty.stdout, empty.stderr], ['', 'The audit is empty\n']);
    assert.match(
      full.stdout,
      /\n2 +2026-03-01T10:00:00\.000Z +ada@example\.com +answer +- +\{"via":"evil[^\n]*"\}\n$/,
    );
    // oxlint-disable-next-line no-control-regex -- this is what must not be there
    assert.doesNotMatch(full.stdout, /[\u001b\u202e]/);
    assert.deepEqual(limits, ['50', '7']);
  });

  const intact: AuditCheck = { rows: 5, broken: null, lastHash: HASH, expectedAt: null };
  for (const { name, check, words = [], code, stdout, stderr } of [
    {
      name: 'prints the last hash of an intact audit',
      check: intact,
      code: 0,
      stdout: `${HASH}\n`,
      stderr: /^All 5 entries are intact\. Note the hash/,
    },
    {
      name: 'prints a dash for an audit without entries',
      check: { ...intact, rows: 0, lastHash: null },
      code: 0,
      stdout: '-\n',
      stderr: /^All 0 entries are intact/,
    },
    {
      name: 'says which entry has a hash that was noted',
      check: { ...intact, expectedAt: 3 },
      words: ['--expect', HASH.toUpperCase()],
      code: 0,
      stdout: `${HASH}\n`,
      stderr: /^Entry 3 has the hash that you noted\.\nAll 5 entries/,
    },
    {
      name: 'fails if the hash that was noted is not there',
      check: intact,
      words: ['--expect', HASH],
      code: 1,
      stdout: '',
      stderr: /^hookbell: No entry of the audit has the hash a{64}: entries were removed/,
    },
    {
      name: 'fails at a broken entry, and names it',
      check: { ...intact, broken: { seq: 4, reason: 'its hash does not fit' } },
      code: 1,
      stdout: '',
      stderr: /^hookbell: The audit is broken at entry 4: its hash does not fit\n$/,
    },
  ]) {
    test(`"audit --verify" ${name}`, async () => {
      await using cli = await commandLine();
      const expected: (string | null)[] = [];
      await cli.serve({
        'GET /v1/hub-verify': ({ query }) => {
          expected.push(query.get('expect'));
          return Promise.resolve(check);
        },
      });

      const text = await cli.run(['hub', 'audit', '--verify', ...words]);
      const json = await cli.run(['hub', 'audit', '--verify', ...words, '--json']);

      assert.deepEqual([text.code, text.stdout], [code, stdout], text.stderr);
      assert.match(text.stderr, stderr);
      assert.equal(json.code, code);
      assert.deepEqual(JSON.parse(json.stdout), check);
      const wanted = words.length === 0 ? null : HASH;
      assert.deepEqual(expected, [wanted, wanted]);
    });
  }

  test('"audit --expect" refuses what is not a hash', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['hub', 'audit', '--expect', 'a1b2']);

    assert.equal(code, 2);
    assert.match(
      stderr,
      /--expect is not a hash: it has 64 hexadecimal digits\n.*--verify" printed/,
    );
  });

  test('"status" shows the queue, and the warnings of the process', async () => {
    await using cli = await commandLine();
    const status = {
      url: 'https://hub.example.com',
      processes: 2,
      people: 3,
      machines: 4,
      machinesHeard: 1,
      invitations: 5,
      dueSince: null,
      warnings: [hostileText],
    };
    let shown: Omit<typeof status, 'dueSince'> & { readonly dueSince: string | null } = status;
    await cli.serve({ 'GET /v1/hub': () => Promise.resolve(shown) });

    const calm = await cli.run(['hub', 'status']);
    shown = { ...status, dueSince: '2026-01-01T10:00:00.000Z', warnings: [] };
    const busy = await cli.run(['hub', 'status']);

    assert.equal(
      calm.stdout,
      `Address      https://hub.example.com
Processes    2
People       3
Machines     4, 1 active within five minutes
Invitations  5 open
Queue        empty
`,
    );
    assert.equal(calm.stderr, `Warning: ${harmlessText}\n`);
    assert.match(busy.stdout, /^Queue +oldest message due for \d+ d$/m);
    assert.equal(busy.stderr, '');
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { MuteView } from '../../../src/control/contract.ts';
import type { CommandLine } from '../../support/command-line.ts';
import { commandLine } from '../../support/command-line.ts';
import { sampleMuteView } from '../../support/sample-views.ts';

/** A daemon with these mutes; answers the bodies of what it was asked to change. */
async function serveMutes(
  cli: CommandLine,
  mutes: readonly MuteView[],
  { made = sampleMuteView(), count = 1 } = {},
): Promise<unknown[]> {
  const asked: unknown[] = [];
  await cli.serve({
    'GET /v1/mutes': () => Promise.resolve(mutes),
    'POST /v1/mutes': ({ body }) => {
      asked.push(body);
      return Promise.resolve(made);
    },
    'POST /v1/unmute': ({ body }) => {
      asked.push(body);
      return Promise.resolve({ count });
    },
  });
  return asked;
}

describe('hookbell mute', () => {
  test('without an end is refused, and shows the three ways to give one (B2)', async () => {
    await using cli = await commandLine();
    const asked = await serveMutes(cli, []);

    const bare = await cli.run(['mute']);
    const narrowed = await cli.run(['mute', '--project', 'shop']);

    for (const { code, stderr } of [bare, narrowed]) {
      assert.match(stderr, /The mute needs an end/);
      assert.match(stderr, /"hookbell mute 30m", .*--until 18:00" or .*--forever"/);
      assert.equal(code, 2);
    }
    assert.deepEqual(asked, []);
  });

  test('takes a length of time as its argument, and --forever (B2)', async () => {
    await using cli = await commandLine();
    const asked = await serveMutes(cli, []);

    await cli.run(['mute', '30m', '--project', 'shop']);
    const { stderr } = await cli.run(['mute', '--forever']);
    const both = await cli.run(['mute', '30m', '--forever']);

    assert.deepEqual(asked, [{ forMs: 1_800_000, project: 'shop' }, { forMs: null }]);
    assert.equal(stderr, 'Muted everything until you unmute it\n');
    assert.match(both.stderr, /The mute has 2 ends/);
    assert.equal(both.code, 2);
  });

  test('--for and every condition reach the daemon, and --json answers the mute', async () => {
    await using cli = await commandLine();
    const made = sampleMuteView({ until: '2026-03-01T11:30:00.000Z', project: 'shop' });
    const asked = await serveMutes(cli, [], { made });
    const words =
      'mute --for 1h30m --session s1 --project shop --agent droid --channel team --kind turn.done';

    const { stdout } = await cli.run([...words.split(' '), '--json']);
    const { stderr } = await cli.run(['mute', '--for', '1h30m', '--project', 'shop']);

    assert.deepEqual(asked[0], {
      forMs: 5_400_000,
      session: 's1',
      project: 'shop',
      agent: 'droid',
      channel: 'team',
      kind: 'turn.done',
    });
    assert.deepEqual(JSON.parse(stdout), made);
    assert.equal(stderr, 'Muted project shop until 2026-03-01 11:30:00\n');
  });

  test('--until is as long as it takes to that time of the day', async () => {
    await using cli = await commandLine();
    const asked: number[] = [];
    await cli.serve({
      'POST /v1/mutes': ({ body }) => {
        if (typeof body === 'object' && body !== null && 'forMs' in body) {
          asked.push(Date.now() + Number(body.forMs));
        }
        return Promise.resolve(sampleMuteView());
      },
    });

    await cli.run(['mute', '--until', '18:00']);

    const [end = 0] = asked;
    // The process of the command line lives in UTC. The daemon is asked some moments after the time was worked out.
    const late = (end - Date.UTC(2026, 0, 1, 18)) % 86_400_000;
    assert.ok(late >= 0 && late < 30_000, `${late} ms after 18:00`);
  });

  for (const [words, complaint] of [
    [['--for', '30'], /The duration is "30", expected one such as 30m/],
    [['--for', '0s'], /The duration is "0s"/],
    [['--until', '25:00'], /The time is "25:00", expected one such as 18:00/],
    [['--for', '1h', '--until', '18:00'], /The mute has 2 ends/],
    [['18:00'], /The duration is "18:00"/],
    [['--agent', 'nobody'], /Unknown value "nobody", expected one of droid/],
    [['--kind', 'bell'], /Unknown value "bell", expected one of session.start/],
  ] as const) {
    test(`"mute ${words.join(' ')}" is refused with 2 before any request`, async () => {
      await using cli = await commandLine();

      const { code, stderr } = await cli.run(['mute', ...words]);

      assert.match(stderr, complaint);
      assert.equal(code, 2);
    });
  }
});

describe('hookbell mute list', () => {
  test('shows what is muted until when, with an id that is short enough to type (B13)', async () => {
    await using cli = await commandLine();
    const mutes = [
      sampleMuteView({ agent: 'droid', channel: 'team' }),
      sampleMuteView({ id: 'm2', until: '2026-03-01T11:30:00.000Z' }),
    ];
    await serveMutes(cli, mutes);

    const { stdout } = await cli.run(['mute', '--list']);
    const json = await cli.run(['mute', 'list', '--json']);

    const [, first = '', second = ''] = stdout.split('\n');
    assert.match(first, /^0190a5e0 +agent droid, channel team +you unmute it$/);
    assert.match(second, /^m2 +everything +2026-03-01 11:30:00$/);
    assert.deepEqual(JSON.parse(json.stdout), mutes);
  });

  test('says so when nothing is muted', async () => {
    await using cli = await commandLine();
    await serveMutes(cli, []);

    assert.deepEqual(await cli.run(['mute', 'list']), {
      code: 0,
      stdout: '',
      stderr: 'Nothing is muted\n',
    });
  });
});

describe('hookbell mute off', () => {
  test('takes back the one mute there is, those that are named, or all', async () => {
    await using cli = await commandLine();
    const asked = await serveMutes(cli, [sampleMuteView({ id: 'm1' })]);

    const alone = await cli.run(['mute', 'off']);
    const named = await cli.run(['mute', 'off', 'a', 'b', '--json']);
    const some = await cli.run(['mute', 'off', 'a', 'b']);
    await cli.run(['mute', 'off', '--all']);

    const ids = ['a', 'b'];
    assert.deepEqual(asked, [{ ids: ['m1'] }, { ids }, { ids }, { all: true }]);
    assert.deepEqual(alone, { code: 0, stdout: '', stderr: '1 removed\n' });
    assert.deepEqual(JSON.parse(named.stdout), { count: 1 });
    assert.equal(named.code, 8);
    assert.match(some.stderr, /^1 removed, 1 not found; "hookbell mute list"/);
  });

  test('of several mutes without a word lists them, ends with 2 and takes none back', async () => {
    await using cli = await commandLine();
    const asked = await serveMutes(cli, [sampleMuteView(), sampleMuteView({ id: 'm2' })]);

    const { code, stdout, stderr } = await cli.run(['mute', 'off']);

    assert.match(stdout, /^m2 +everything/m);
    assert.match(stderr, /2 mutes are active\n {2}Run "hookbell mute off ID"/);
    assert.equal(code, 2);
    assert.deepEqual(asked, []);
  });

  test('only unknown ids end with 6, nothing to take back ends well', async () => {
    await using cli = await commandLine();
    await serveMutes(cli, [], { count: 0 });

    assert.equal((await cli.run(['mute', 'off', 'x'])).code, 6);
    assert.deepEqual(await cli.run(['mute', 'off']), {
      code: 0,
      stdout: '',
      stderr: 'Nothing is muted\n',
    });
  });
});

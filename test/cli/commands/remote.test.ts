import assert from 'node:assert/strict';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import type { ListenView } from '../../../src/control/contract-views.ts';
import { programFile } from '../../../src/platform/program-files.ts';
import { makeToken } from '../../../src/relay/token.ts';
import { shellWord } from '../../../src/text/escape.ts';
import { commandLine } from '../../support/command-line.ts';
import { harmlessText, hostileText, sampleStatusView } from '../../support/sample-views.ts';
import { needs } from '../../support/system-part.ts';
import { typedCommand } from '../../support/typed-command.ts';

const CONFIG = '.config/hookbell/config.yaml';
const TOKEN = makeToken('desk', new Uint8Array(32).fill(7));
const reloaded = sampleStatusView().config;

function listening(fields: Partial<ListenView> = {}): ListenView {
  return { addresses: ['/run/relay.sock'], problem: null, machines: [], ...fields };
}

describe('hookbell remote pair NAME', () => {
  test('prints the token once, stores its hash, and lists the machine afterwards', async () => {
    await using cli = await commandLine();
    await cli.serve({ 'GET /v1/status': () => Promise.resolve(sampleStatusView()) });

    const none = await cli.run(['remote', 'list']);
    const paired = await cli.run(['remote', 'pair', 'desk']);
    const list = await cli.run(['remote', 'list']);
    const json = await cli.run(['remote', 'list', '--json']);

    assert.deepEqual(
      [none.code, none.stdout, none.stderr],
      [0, '', 'No machine is paired with this one\n'],
    );
    assert.equal(paired.code, 0, paired.stderr);
    assert.match(paired.stderr, /^Paired "desk", which may only send events/);
    assert.match(
      paired.stderr,
      /This machine does not listen yet: run "hookbell remote listen"\n$/,
    );
    const stored = await readFile(cli.paths.machines, 'utf8');
    assert.ok(!stored.includes(paired.stdout.trim().slice(-20)), 'only a hash is stored');
    assert.match(list.stdout, /^desk +events +\d+ s ago +-$/m);
    const [row, ...others] = JSON.parse(json.stdout);
    assert.deepEqual([row.machine, row.lastSeenAt, others], ['desk', null, []]);
  });

  test('does not mention listening if the daemon listens, and "list" shows when a machine was seen', async () => {
    await using cli = await commandLine();
    const seen = {
      name: 'desk',
      pairedAt: '2026-01-01T10:00:00.000Z',
      lastSeenAt: '2026-01-02T10:00:00.000Z',
    };
    const listen = listening({ machines: [seen] });
    await cli.serve({ 'GET /v1/status': () => Promise.resolve(sampleStatusView({ listen })) });

    const paired = await cli.run(['remote', 'pair', 'desk']);
    const list = await cli.run(['remote', 'list']);

    assert.doesNotMatch(paired.stderr, /does not listen/);
    assert.match(list.stdout, /^desk +events +\d+ s ago +\d+ d ago$/m);
  });

  test('--json prints the token in one document', async () => {
    await using cli = await commandLine();
    await cli.serve({});

    const { stdout, stderr } = await cli.run(['remote', 'pair', 'desk', '--json']);

    const { machine, scope, token } = JSON.parse(stdout);
    assert.deepEqual([machine, scope, stderr], ['desk', 'events', '']);
    assert.match(token, /desk/);
  });

  test('refuses a name that is paired already, which "revoke" frees', async () => {
    await using cli = await commandLine();
    await cli.serve({ 'GET /v1/status': () => Promise.resolve(sampleStatusView()) });
    await cli.run(['remote', 'pair', 'desk']);

    const again = await cli.run(['remote', 'pair', 'desk']);
    const revoked = await cli.run(['remote', 'revoke', 'desk']);
    const twice = await cli.run(['remote', 'revoke', 'desk']);
    const next = await cli.run(['remote', 'pair', 'desk']);
    const json = await cli.run(['remote', 'revoke', 'desk', '--json']);

    assert.equal(again.code, 1);
    assert.match(again.stderr, /"desk" is already paired\n {2}Run "hookbell remote revoke desk"/);
    assert.deepEqual([revoked.code, revoked.stderr], [0, '"desk" can no longer send events\n']);
    assert.equal(twice.code, 6);
    assert.match(twice.stderr, /No machine is paired as "desk"\n {2}Run "hookbell remote list"/);
    assert.equal(next.code, 0);
    assert.deepEqual(JSON.parse(json.stdout), { machine: 'desk', revoked: true });
  });

  test('names the command that makes the state directory if it is missing', async () => {
    await using cli = await commandLine();

    const { code, stdout, stderr } = await cli.run(['remote', 'pair', 'desk']);

    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /Cannot write ".*paired-machines\.json"\n {2}Run "hookbell start" once/);
  });

  for (const [words, said] of [
    [['a machine'], /"a machine" is not a valid machine name, expected up to 32 letters/],
    [[], /A machine name or --to is missing\n {2}Run "hookbell remote pair NAME" at home/],
    [['desk', '--to', '/run/s'], /The token names the machine: --to takes no name/],
    [['desk', '--certificate', 'c.pem'], /The token names the machine: --to takes no name/],
    [['--to', 'desk:7000'], /"desk:7000" is neither "https:\/\/HOST:PORT" nor/],
  ] as const) {
    test(`refuses "pair ${words.join(' ')}", exit code 2`, async () => {
      await using cli = await commandLine();

      const { code, stderr } = await cli.run(['remote', 'pair', ...words]);

      assert.equal(code, 2);
      assert.match(stderr, said);
    });
  }
});

describe('hookbell remote pair --to', () => {
  test('stores the token for its user alone, and adds "relay" behind the last line', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, 'channels: { desktop: { type: desktop } }');
    const file = join(dirname(cli.paths.config), 'relay-token');
    await writeFile(file, 'old\n');
    await chmod(file, 0o644);

    const { code, stderr } = await cli.run(['remote', 'pair', '--to', '/run/relay.sock'], {
      input: `${TOKEN}\n`,
    });

    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Stored the token of "desk" in ~\/\.config\/hookbell\/relay-token\n/);
    assert.match(stderr, /\nWrote "relay" into .*config\.yaml\n/);
    assert.match(stderr, /\nThe daemon is not running yet: run "hookbell start"\n$/);
    assert.equal(await readFile(file, 'utf8'), `${TOKEN}\n`);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal(
      await readFile(cli.paths.config, 'utf8'),
      'channels: { desktop: { type: desktop } }\nrelay:\n  to: /run/relay.sock\n',
    );
  });

  test('leaves a "relay" that is there unchanged, and says so', async () => {
    await using cli = await commandLine();
    const config = 'relay: { to: /run/other.sock }\n';
    await cli.write(CONFIG, config);

    const { code, stderr } = await cli.run(['remote', 'pair', '--to', '/run/relay.sock'], {
      input: TOKEN,
    });

    assert.equal(code, 0);
    assert.match(stderr, /config\.yaml already has a "relay", which was left unchanged/);
    assert.equal(await readFile(cli.paths.config, 'utf8'), config);
  });

  for (const [name, link, said] of [
    ['works', { ok: true, summary: hostileText }, `The link works: ${harmlessText}\n`],
    [
      'fails',
      { ok: false, summary: hostileText },
      `The link does not work yet, and events wait: ${harmlessText}\n`,
    ],
  ] as const) {
    test(`says that the link ${name}, as the daemon found`, async () => {
      await using cli = await commandLine();
      await cli.serve({
        'GET /v1/status': () => Promise.resolve(sampleStatusView()),
        'POST /v1/reload': () => Promise.resolve(reloaded),
        'GET /v1/relay': () => Promise.resolve(link),
      });

      const { stderr } = await cli.run(['remote', 'pair', '--to', '/run/s'], { input: TOKEN });

      assert.ok(stderr.endsWith(said), stderr);
    });
  }

  test('prints what to add by hand to a configuration that cannot be read, exit code 8', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, 'channels: [\n');
    const words = ['remote', 'pair', '--to', '/run/s'];

    const { code, stderr } = await cli.run(words, { input: TOKEN });
    const json = await cli.run([...words, '--json'], { input: TOKEN });

    assert.equal(code, 8);
    assert.match(
      stderr,
      /Cannot add to ".*config\.yaml"\. Add this by hand:\n {2}relay: \{"to":"\/run\/s"\}\n/,
    );
    assert.equal(json.code, 8);
    const { machine, config, link } = JSON.parse(json.stdout);
    assert.deepEqual([machine, config, link], ['desk', 'unfit', null]);
    assert.equal(await readFile(cli.paths.config, 'utf8'), 'channels: [\n');
  });

  test('refuses text that is not a token, and stores nothing', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['remote', 'pair', '--to', '/run/s'], { input: '' });

    assert.equal(code, 2);
    assert.match(
      stderr,
      /Not a token from "hookbell remote pair"\n {2}Run "hookbell remote pair NAME"/,
    );
    await assert.rejects(stat(dirname(cli.paths.config)), { code: 'ENOENT' });
  });

  test(
    'takes a token that is typed at a terminal, and does not show it',
    { skip: needs('script') },
    async () => {
      await using cli = await commandLine();
      const words = [
        process.execPath,
        programFile('commandLine'),
        'remote',
        'pair',
        '--to',
        '/run/s',
      ];
      const env = { PATH: process.env['PATH'] ?? '', HOME: cli.home, NO_COLOR: '1' };
      await using command = typedCommand(words.map(shellWord).join(' '), env);

      await command.shown('Token: ');
      command.type(`${TOKEN}\r`);
      const { code, screen } = await command.ended();

      assert.equal(code, 0, screen);
      assert.match(screen, /Stored the token of "desk"/);
      assert.ok(!screen.includes(TOKEN.slice(-20)), screen);
      const file = join(dirname(cli.paths.config), 'relay-token');
      assert.equal(await readFile(file, 'utf8'), `${TOKEN}\n`);
    },
  );

  test('names the file if the token cannot be written', async () => {
    await using cli = await commandLine();
    await cli.write('.config', 'a file where a directory should be');

    const { code, stderr } = await cli.run(['remote', 'pair', '--to', '/run/s'], { input: TOKEN });

    assert.equal(code, 1);
    assert.match(stderr, /Cannot write ".*relay-token"/);
  });
});

describe('hookbell remote listen', () => {
  test('adds the section, lets the daemon load it, and prints addresses and paired machines', async () => {
    await using cli = await commandLine();
    let listen: ListenView | null = null;
    const desk = { name: 'desk', pairedAt: '2026-01-01T10:00:00.000Z', lastSeenAt: null };
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView({ listen })),
      'POST /v1/reload': () => {
        listen = listening({ machines: [desk, { ...desk, name: 'lap' }] });
        return Promise.resolve(reloaded);
      },
    });

    const { code, stdout, stderr } = await cli.run(['remote', 'listen', '--port', '7000']);
    const again = await cli.run(['remote', 'listen']);
    const other = await cli.run(['remote', 'listen', '--port', '7001']);
    const json = await cli.run(['remote', 'listen', '--json']);

    assert.deepEqual([code, stdout, stderr], [0, '/run/relay.sock\n', 'Paired: desk, lap\n']);
    assert.equal(await readFile(cli.paths.config, 'utf8'), 'listen:\n  port: 7000\n');
    assert.deepEqual([again.code, again.stdout], [0, '/run/relay.sock\n']);
    assert.equal(other.code, 2);
    assert.match(other.stderr, /config\.yaml" already has a "listen" section\n {2}Edit it there/);
    assert.deepEqual(JSON.parse(json.stdout), listen);
  });

  test('ends with 1 if the daemon cannot listen, and says why', async () => {
    await using cli = await commandLine();
    const listen = listening({ addresses: [], problem: `in use: ${hostileText}` });
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView({ listen })),
      'POST /v1/reload': () => Promise.resolve(reloaded),
    });

    const { code, stderr } = await cli.run(['remote', 'listen']);

    assert.equal(code, 1);
    assert.ok(stderr.startsWith(`hookbell: Cannot listen: in use: ${harmlessText}\n`), stderr);
    assert.match(stderr, /No machine is paired yet: run "hookbell remote pair NAME"\n$/);
  });

  test('ends with 1 if the daemon does not load the section', async () => {
    await using cli = await commandLine();
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView()),
      'POST /v1/reload': () => Promise.resolve(reloaded),
    });

    const { code, stderr } = await cli.run(['remote', 'listen']);

    assert.equal(code, 1);
    assert.match(stderr, /The daemon rejected the configuration/);
  });

  test('refuses a host that others can reach without TLS, and takes absolute paths of certificate and key', async () => {
    await using cli = await commandLine();
    const listen = listening();
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView({ listen })),
      'POST /v1/reload': () => Promise.resolve(reloaded),
    });
    const words = ['remote', 'listen', '--port', '7000', '--host', '0.0.0.0'];

    const refused = await cli.run(words);
    const accepted = await cli.run([...words, '--certificate', 'c.pem', '--key', 'k.pem']);

    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Cannot add "listen" to .*\n {2}A host other than loopback needs/);
    assert.equal(accepted.code, 0, accepted.stderr);
    const text = await readFile(cli.paths.config, 'utf8');
    assert.ok(text.includes(`certificate: ${join(cli.home, 'c.pem')}\n`), text);
    assert.ok(text.includes(`key: ${join(cli.home, 'k.pem')}\n`), text);
  });
});

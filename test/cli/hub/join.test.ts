import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { FailedError } from '../../../src/platform/errors.ts';
import { readToken } from '../../../src/relay/token.ts';
import { type CommandLine, commandLine } from '../../support/command-line.ts';
import { freePort } from '../../support/free-port.ts';
import { type HttpEndpoint, openHttpEndpoint } from '../../support/http-endpoint.ts';
import { sampleStatusView } from '../../support/sample-views.ts';
import type { ScriptedAnswer } from '../../support/scripted-answer.ts';

const CONFIG = '.config/hookbell/config.yaml';

function answerOf(
  status: number,
  body: object,
  headers: Record<string, string> = {},
): ScriptedAnswer {
  return { status, headers, body: JSON.stringify(body) };
}

const enrolled = answerOf(200, { version: 1, machine: 'desk', person: 'ada@example.com' });

function joinHub(cli: CommandLine, hub: Pick<HttpEndpoint, 'url'>, ...words: readonly string[]) {
  return cli.run(['join', hub.url, '--code', 'AAAA-BBBB', '--name', 'desk', ...words]);
}

describe('hookbell join', () => {
  test('stores the token, whose hash alone the hub gets, and adds "relay" to the configuration', async () => {
    await using cli = await commandLine();
    await using hub = await openHttpEndpoint();
    hub.answer(enrolled);
    await cli.write(CONFIG, '# mine\nchannels: { desktop: { type: desktop } }');

    const { code, stderr } = await cli.run(['join', `${hub.url}/`, '--name', 'desk'], {
      input: ' AAAA-BBBB \nmore\n',
    });

    assert.equal(code, 0, stderr);
    assert.match(stderr, /^This machine is "desk" of ada@example\.com now\n/);
    assert.match(stderr, /The daemon is not running yet: run "hookbell start"/);
    const file = join(dirname(cli.paths.config), 'relay-token');
    const token = await readFile(file, 'utf8');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse(hub.requests[0]?.body ?? ''), {
      version: 1,
      code: 'AAAA-BBBB',
      machine: 'desk',
      key: readToken(token)?.key,
    });
    assert.equal(
      await readFile(cli.paths.config, 'utf8'),
      `# mine\nchannels: { desktop: { type: desktop } }\nrelay:\n  to: ${hub.url}\n`,
    );
  });

  test('takes the host name if no name is given', async () => {
    await using cli = await commandLine();
    await using hub = await openHttpEndpoint();
    hub.answer(enrolled);

    const { code, stdout } = await cli.run(['join', hub.url, '--code', 'AAAA', '--json']);

    assert.equal(code, 0);
    const { machine, person, to, config, link } = JSON.parse(stdout);
    assert.match(machine, /^[A-Za-z0-9][\w-]{0,31}$/);
    assert.deepEqual([person, to, config, link], ['ada@example.com', hub.url, 'added', null]);
  });

  for (const [name, link, said] of [
    ['works', { ok: true, summary: 'it answers' }, /^The link works: it answers$/m],
    [
      'does not work yet',
      { ok: false, summary: 'connection refused' },
      /^The link does not work yet, and events wait: connection refused$/m,
    ],
  ] as const) {
    test(`lets the daemon try the link, and says if it ${name}`, async () => {
      await using cli = await commandLine();
      await using hub = await openHttpEndpoint();
      hub.answer(enrolled);
      let reloads = 0;
      await cli.serve({
        'GET /v1/status': () => Promise.resolve(sampleStatusView()),
        'POST /v1/reload': () => {
          reloads += 1;
          return Promise.resolve(sampleStatusView().config);
        },
        'GET /v1/relay': () => Promise.resolve(link),
      });

      const { code, stderr } = await joinHub(cli, hub);

      assert.equal(code, 0);
      assert.match(stderr, said);
      assert.equal(reloads, 1);
    });
  }

  test('shows why the daemon does not load the new configuration', async () => {
    await using cli = await commandLine();
    await using hub = await openHttpEndpoint();
    hub.answer(enrolled);
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView()),
      'POST /v1/reload': () => Promise.reject(new FailedError('The configuration is invalid')),
    });

    const { code, stderr } = await joinHub(cli, hub);

    assert.equal(code, 0);
    assert.match(stderr, /does not work yet, and events wait: The configuration is invalid$/m);
  });

  for (const [name, answer, said] of [
    [
      'a code that is not valid',
      answerOf(403, { error: 'code' }),
      /does not accept the code: it is wrong, used or expired\n {2}Ask the administrator/,
    ],
    [
      'a name that is taken',
      answerOf(409, { error: 'name' }),
      /knows another person's machine as "desk"\n {2}Choose another name with --name/,
    ],
    [
      'too many attempts',
      answerOf(429, { error: 'rate' }, { 'retry-after': '90' }),
      /has had too many attempts\n {2}Try again in 1 min 30 s/,
    ],
    [
      'another program at the address',
      answerOf(200, { hello: 'world' }),
      /Cannot reach the hub: the program there is not a hookbell hub \(status 200\)\n {2}Check/,
    ],
  ] as const) {
    test(`ends with 1 at ${name}, and changes no file`, async () => {
      await using cli = await commandLine();
      await using hub = await openHttpEndpoint();
      hub.answer(answer);

      const { code, stderr } = await joinHub(cli, hub);

      assert.equal(code, 1);
      assert.match(stderr, said);
      await assert.rejects(stat(dirname(cli.paths.config)), { code: 'ENOENT' });
    });
  }

  test('ends with 1 where nothing listens', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await joinHub(cli, { url: `http://127.0.0.1:${await freePort()}` });

    assert.equal(code, 1);
    assert.match(stderr, /Cannot reach the hub: .*refused/);
  });

  test('relays to another address only with --replace, which keeps the other lines', async () => {
    await using cli = await commandLine();
    await using hub = await openHttpEndpoint();
    hub.answer(enrolled);
    await cli.write(CONFIG, '# mine\nrelay: { to: "https://old.example.com" }\n');

    const refused = await joinHub(cli, hub);
    const requests = hub.requests.length;
    const replaced = await joinHub(cli, hub, '--replace');

    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /already relays to https:\/\/old\.example\.com\n.*--replace/);
    assert.equal(requests, 0, 'the code is not used up');
    assert.equal(replaced.code, 0, replaced.stderr);
    const text = await readFile(cli.paths.config, 'utf8');
    assert.ok(text.startsWith('# mine\n'), text);
    assert.match(text, new RegExp(`to: "?${hub.url}"?`));
    assert.doesNotMatch(text, /old\.example/);
  });

  test('joins again at the hub it already relays to, and leaves the configuration unchanged', async () => {
    await using cli = await commandLine();
    await using hub = await openHttpEndpoint();
    hub.answer(enrolled);
    const config = `relay: { to: "${hub.url}" } # the team\n`;
    await cli.write(CONFIG, config);

    const { code, stdout } = await joinHub(cli, hub, '--json');

    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).config, 'there');
    assert.equal(await readFile(cli.paths.config, 'utf8'), config);
  });

  test('prints what to add by hand to a configuration that cannot be changed, with exit code 8', async () => {
    await using cli = await commandLine();
    await using hub = await openHttpEndpoint();
    hub.answer(enrolled);
    await cli.write(CONFIG, 'channels: [\n');

    const { code, stderr } = await joinHub(cli, hub);
    const json = await joinHub(cli, hub, '--json');

    assert.equal(code, 8);
    assert.match(stderr, /^hookbell: Cannot add to ".*config\.yaml"\. Add this by hand:$/m);
    assert.ok(stderr.includes(`  relay: {"to":"${hub.url}"}\n`), stderr);
    assert.equal(json.code, 8);
    assert.equal(JSON.parse(json.stdout).config, 'unfit');
    assert.equal(await readFile(cli.paths.config, 'utf8'), 'channels: [\n');
  });

  test('leaves a configuration alone that has other mistakes, also with --replace', async () => {
    await using cli = await commandLine();
    await using hub = await openHttpEndpoint();
    hub.answer(enrolled);
    const config = 'relay: { to: "https://old.example.com" }\nchanels: {}\n';
    await cli.write(CONFIG, config);

    const { code, stderr } = await joinHub(cli, hub, '--replace');

    assert.equal(code, 8);
    assert.match(stderr, /Cannot add to ".*config\.yaml"\. Add this by hand:$/m);
    assert.equal(await readFile(cli.paths.config, 'utf8'), config);
  });

  for (const [words, said] of [
    [['hub.example.com'], /"hub\.example\.com" is neither "https:\/\/HOST:PORT" nor/],
    [['/run/hub.sock'], /A hub has an address such as https:\/\/hub\.example\.com/],
    [['https://hub.example.com', '--name', '-x y'], /"-x y" is not a valid machine name/],
    [['https://hub.example.com', '--name', 'desk', '--code', ' - '], /The code is empty/],
  ] as const) {
    test(`refuses ${words.join(' ')}, exit code 2`, async () => {
      await using cli = await commandLine();

      const { code, stderr } = await cli.run(['join', ...words]);

      assert.equal(code, 2, stderr);
      assert.match(stderr, said);
    });
  }

  test('names a certificate that cannot be read', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await joinHub(
      cli,
      { url: 'https://127.0.0.1:9' },
      '--certificate',
      'none.pem',
    );

    assert.equal(code, 2);
    assert.match(stderr, /^hookbell: Cannot read ".*none\.pem": it does not exist$/m);
  });
});

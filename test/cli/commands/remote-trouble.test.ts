import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';
import { connectProxy, privateService } from '../../support/proxied-service.ts';
import { remoteCommandLine } from '../../support/remote-command-line.ts';
import { needs } from '../../support/system-part.ts';

describe('A command that asks the service', () => {
  test('says what to write where no address is configured, exit code 3', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['service', 'users', 'list']);

    assert.equal(code, 3);
    assert.match(
      stderr,
      /base_url is not configured\n {2}Add to ".*config.yaml": api: \{ base_url:/,
    );
  });

  test('ends with 5 without a key, and says where one is made and who may (acceptance 198, 201)', async () => {
    await using remote = await remoteCommandLine();

    const { code, stderr } = await remote.cli.run(['service', 'users', 'list']);

    assert.equal(code, 5);
    assert.match(stderr, /environment variable "SERVICE_KEY": it is not set/);
    assert.ok(stderr.includes(`Create a key at "${remote.mock.appUrl}/settings/api-keys"`));
    assert.match(stderr, /restrictApiKeyCreationToManagers/);
    assert.match(stderr, /Set "api.key" in ".*config.yaml"/);
    assert.deepEqual(remote.mock.requests(), []);
  });

  test('ends with 5 where the key is refused, after one request (acceptance 198, 200)', async () => {
    await using remote = await remoteCommandLine();

    const { code, stderr } = await remote.run(['service', 'readiness', 'list'], { key: 'revoked' });

    assert.equal(code, 5);
    assert.ok(stderr.includes(`${remote.mock.appUrl}/settings/api-keys`));
    assert.equal(remote.mock.requests().length, 1);
  });

  test('ends with 5 where the role does not suffice, and names the roles that do (acceptance 199)', async () => {
    await using remote = await remoteCommandLine();

    const { code, stderr } = await remote.run(['service', 'usage', 'tokens'], { key: 'member' });

    assert.equal(code, 5);
    assert.match(stderr, /returned 403/);
    assert.match(stderr, /Manager or Owner/);
    assert.equal(remote.mock.requests().length, 1);
  });

  test(
    'C5: follows HTTPS_PROXY and ca_file, to a service that only the proxy can find',
    {
      skip: needs('openssl'),
    },
    async () => {
      await using cli = await commandLine();
      await using service = await privateService();
      await using proxy = await connectProxy({ to: service.endpoint.port });
      const address = `base_url: "https://${service.name}", key: key-for-tests-123456`;
      await cli.write(
        '.config/hookbell/config.yaml',
        `ca_file: ${service.authority}\napi: { ${address} }\n`,
      );
      service.endpoint.answer({ status: 200, body: '{"sessions":[]}' });
      const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };

      const raw = await cli.run(['service', 'api', 'GET', '/api/v0/sessions'], { env });
      const bad = await cli.run(['service', 'api', 'GET', '/x'], {
        env: { HTTPS_PROXY: 'proxy:3128' },
      });

      assert.equal(raw.code, 0, raw.stderr);
      assert.deepEqual(proxy.targets, [`${service.name}:443`]);
      assert.equal(bad.code, 3);
      assert.match(bad.stderr, /Cannot use the proxy in HTTPS_PROXY/);
    },
  );

  test('C5: sends no key without TLS to another machine, exit code 2', async () => {
    await using cli = await commandLine();
    await cli.write(
      '.config/hookbell/config.yaml',
      'api: { base_url: "http://service.internal.example", key: key-for-tests-123456 }\n',
    );

    const { code, stderr } = await cli.run(['service', 'users', 'list']);

    assert.equal(code, 2);
    assert.match(stderr, /base_url would send the key without TLS to another machine/);
    assert.match(stderr, /set api.allow_http: true/);
  });

  test('C4: prints the pages before the one that fails, then the reason, exit code 8', async () => {
    await using remote = await remoteCommandLine();
    const path = '/api/v0/sessions';
    const effect = { kind: 'status', status: 400 } as const;
    remote.mock.fault({ match: { path, nth: 3 }, effect });
    remote.mock.fault({ match: { path, nth: 6 }, effect });
    const words = ['service', 'api', 'sessions.list', '--limit', '2', '--paginate', '--json'];
    const raw = ['service', 'api', 'GET', path, '-f', 'limit=2', '--paginate'];

    for (const one of [words, raw]) {
      const { code, stdout, stderr } = await remote.run(one);

      assert.equal(code, 8);
      const printed: unknown = JSON.parse(stdout);
      assert.equal(Array.isArray(printed) && printed.length, 4);
      assert.match(stderr, /Only the first 4 items could be read: Cannot GET .* returned 400/);
    }
  });

  test('C4: prints a page that says there is more but returned no cursor, then says so, exit code 8 (A10)', async () => {
    await using remote = await remoteCommandLine();
    remote.mock.fault({ effect: { kind: 'cursor', fault: 'missing' } });

    for (const words of [
      ['service', 'api', 'sessions.list', '--limit', '2'],
      ['service', 'api', 'sessions.list', '--limit', '2', '--paginate'],
      ['service', 'api', 'GET', '/api/v0/sessions', '-f', 'limit=2', '--paginate'],
    ]) {
      const { code, stdout, stderr } = await remote.run([...words, '--json']);

      assert.equal(code, 8);
      assert.equal(stdout.match(/"sessionId"/g)?.length, 2);
      assert.match(stderr, /Only the first 2 items could be read: .*returned no cursor/);
    }
  });

  test('exits with 6 if the item does not exist', async () => {
    await using remote = await remoteCommandLine();

    const session = await remote.run(['service', 'sessions', 'get', 'nobody']);
    const computer = await remote.run(['service', 'computers', 'retry', 'nobody']);

    assert.deepEqual([session.code, computer.code], [6, 6]);
    assert.match(session.stderr, /returned 404/);
  });

  test('ends with 7 where it is to wait, and says for how long (acceptance 218)', async () => {
    await using remote = await remoteCommandLine({
      faults: [
        {
          effect: {
            kind: 'status',
            status: 429,
            retryAfter: { form: 'seconds', seconds: 90 },
          },
        },
      ],
    });

    const { code, stderr } = await remote.run(['service', 'computers', 'list']);

    assert.equal(code, 7);
    assert.match(stderr, /Try again in 1 min 30 s/);
    assert.equal(remote.mock.requests().length, 1);
  });

  test('ends with 1 on a server error, with title, detail, status, request id and attempts (acceptance 205, 207, 211)', async () => {
    await using remote = await remoteCommandLine({
      faults: [{ effect: { kind: 'status', status: 500 } }],
    });

    const { code, stderr } = await remote.run(['service', 'usage', 'productivity']);

    assert.equal(code, 1);
    assert.match(
      stderr,
      /Cannot GET "\/api\/v1\/analytics\/productivity": the service returned 500: .+: .+ \(request id "req_\d+"\) \(after 3 attempts\)/,
    );
  });

  test('shows an item that does not fit apart, and raw with --json (acceptance 226)', async () => {
    await using remote = await remoteCommandLine({
      faults: [{ effect: { kind: 'bad-item' } }],
    });

    const people = await remote.run(['service', 'computers', 'list']);
    const { stdout } = await remote.run(['service', 'computers', 'list', '--json']);

    assert.equal(people.code, 0);
    assert.match(
      people.stderr,
      /An item differs from the interface and is not shown: \$\.computers\[0\]/,
    );
    assert.equal(people.stdout.trimEnd().split('\n').length, 6);
    const items: unknown = JSON.parse(stdout);
    assert.ok(Array.isArray(items) && items.length === 6);
  });

  test('ends quietly when its output is closed', async () => {
    await using remote = await remoteCommandLine();

    const child = remote.cli.start(['service', 'api', 'openapi']);
    child.stdout.destroy();
    let said = '';
    for await (const chunk of child.stderr) said += String(chunk);

    assert.equal(said, '');
  });
});

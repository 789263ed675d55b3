import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import { test } from 'node:test';

import { freePort } from '../support/free-port.ts';
import { openHttpEndpoint, selfSigned } from '../support/http-endpoint.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { question, relayPair } from '../support/relay-pair.ts';
import { needs } from '../support/system-part.ts';

test(
  'a corrected or rotated secret file is used without a restart (A14)',
  { timeout: 120_000 },
  async () => {
    await using first = await openHttpEndpoint();
    await using second = await openHttpEndpoint();
    await using place = await hookbellHome();
    const secret = join(dirname(place.paths.config), 'hook-url');
    await mkdir(dirname(secret), { recursive: true });
    await writeFile(secret, `${first.url}/one\n`);
    await chmod(secret, 0o644);
    await place.writeConfig(`
channels: { out: { type: webhook, url: { file: hook-url }, allow_http: true, allow_private: true } }
plans: { bell: [{ after: 0s, notify: out }] }
routes: [{ match: {}, plan: bell }]
`);
    await place.start();
    const ring = (session: string) =>
      place.hook({
        session_id: session,
        hook_event_name: 'Notification',
        message: 'asks',
        cwd: '/srv',
      });
    await ring('a');
    await until(async () => (await place.cli('doctor')).stdout.includes('chmod 600'));
    assert.equal(first.requests.length, 0);

    await chmod(secret, 0o600);
    await until(() => first.requests.length > 0);

    await writeFile(`${secret}.new`, `${second.url}/two\n`, { mode: 0o600 });
    await rename(`${secret}.new`, secret);
    await until(async () => {
      await ring(`b${second.requests.length}${Math.random()}`);
      return second.requests.length > 0;
    });
    const { stdout } = await place.cli('doctor', '--json');
    assert.ok(!stdout.includes(`${second.url}/two`));
  },
);

test(
  'a key of the service, a relay token and a certificate that were replaced are used without a restart (A14)',
  { timeout: 180_000, skip: needs('openssl') },
  async () => {
    await using service = await openHttpEndpoint();
    await using both = await relayPair();
    const { home, remote, socket } = both;
    const port = await freePort();
    await mkdir(join(home.home, 'next'));
    const first = await selfSigned(home.home);
    const second = await selfSigned(join(home.home, 'next'));
    const apiKey = join(home.home, 'api-key');
    await writeFile(apiKey, 'fk-former\n', { mode: 0o600 });
    const text = await readFile(home.paths.config, 'utf8');
    await home.writeConfig(`${text.replace('listen: {}', '')}
listen: { port: ${port}, host: 127.0.0.1, certificate: ${home.home}/cert.pem, key: ${home.home}/key.pem }
api: { base_url: "${service.url}", allow_http: true, key: { file: ${apiKey} } }
`);
    await home.start();
    await remote.start();
    await both.pair('devbox', socket);
    const token = join(dirname(remote.paths.config), 'relay-token');

    await replace(apiKey, 'fk-rotated\n');
    await until(async () => {
      await home.ask('GET /v1/api');
      return service.requests.at(-1)?.headers.authorization === 'Bearer fk-rotated';
    }, 30_000);

    await home.cli('remote', 'revoke', 'devbox');
    await replace(token, (await home.cli('remote', 'pair', 'devbox2')).stdout);
    await until(async () => (await remote.ask('GET /v1/relay'))?.ok ?? false, 60_000);
    await remote.hook(question('s1'));
    await until(async () => (await home.lines()).length === 1, 30_000);

    assert.equal(await trustedAt(port, first.cert), true);
    await replace(join(home.home, 'cert.pem'), second.cert);
    await replace(join(home.home, 'key.pem'), second.key);
    await until(() => trustedAt(port, second.cert), 30_000);
    assert.equal(await trustedAt(port, first.cert), false);
  },
);

async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Whether a new connection sees this certificate. */
function trustedAt(port: number, cert: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', ca: cert, checkServerIdentity: () => undefined };
    const socketOf = connect(options, () => resolve(true));
    socketOf.once('error', () => resolve(false));
    socketOf.once('secureConnect', () => socketOf.destroy());
  });
}

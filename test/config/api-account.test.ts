import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createClient } from '../../src/vendor/client/index.ts';
import { apiAccount } from '../../src/config/api-schema.ts';
import { secretReader } from '../../src/config/secrets.ts';
import { ownVersion } from '../../src/platform/program-files.ts';
import { configOf } from '../support/config-text.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const userAgent = `hookbell/${ownVersion()}`;
const unread = () => Promise.reject(new Error('A secret was read'));

describe('apiAccount()', () => {
  test('names only hookbell and its version unless the configuration adds to it (C12)', async () => {
    assert.deepEqual(apiAccount(await configOf(''), unread), { userAgent });
  });

  test('reads no secret before it is needed', async () => {
    const config = await configOf(
      'api: { base_url: https://a.example, app_url: https://b.example, key: { env: KEY }, jwt: { file: jwt } }',
    );

    const { apiKey, jwt, ...rest } = apiAccount(config, unread);

    assert.deepEqual(rest, {
      userAgent,
      baseUrl: 'https://a.example',
      appUrl: 'https://b.example',
    });
    assert.equal(typeof apiKey, 'function');
    assert.equal(typeof jwt, 'function');
  });

  test('has every setting a client takes, from plain, environment, file and command', async () => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, 'jwt'), 'from-file\n', { mode: 0o600 });
    const path = join(directory.path, 'config.yaml');
    const env = { KEY: 'from-env', PATH: process.env['PATH'] };
    const read = secretReader(path, env);
    const accountOf = async (api: string) => apiAccount(await configOf(`api: { ${api} }`), read);

    const account = await accountOf(
      'key: { env: KEY }, jwt: { file: jwt }, readiness_path: /reports, max_message_size: 5kB',
    );
    assert.equal(await account.apiKey?.(), 'from-env');
    assert.equal(await account.jwt?.(), 'from-file');
    assert.equal(account.readinessPath, '/reports');
    assert.equal(account.maxMessageBytes, 5_000);
    const printed = await accountOf('key: { command: [echo, from-command] }, jwt: plain');
    assert.equal(await printed.apiKey?.(), 'from-command');
    assert.equal(await printed.jwt?.(), 'plain');
  });

  test('gives createClient() a key that is read once more after a 401 (acceptance 202)', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'key');
    await writeFile(file, 'old', { mode: 0o600 });
    const config = await configOf('api: { base_url: https://a.example, key: { file: key } }');
    const sent: (string | null)[] = [];
    const api = createClient({
      ...apiAccount(config, secretReader(join(directory.path, 'config.yaml'), {})),
      fetch: async (_url, { headers }) => {
        sent.push(new Headers(headers).get('authorization'));
        if (sent.length > 1) return Response.json({ computers: [] });
        await writeFile(file, 'new');
        return new Response(null, { status: 401 });
      },
    });

    await api.computers.list();

    assert.deepEqual(sent, ['Bearer old', 'Bearer new']);
  });
});

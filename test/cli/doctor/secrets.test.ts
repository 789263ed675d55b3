import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkSecrets } from '../../../src/cli/doctor/configuration.ts';
import { ConfigError } from '../../../src/platform/errors.ts';
import {
  doctorPorts,
  privateDirectory,
  privateFile,
  sampleConfig,
} from '../../support/doctor-ports.ts';

const { config: path } = doctorPorts().paths;

describe('checkSecrets()', () => {
  const plain = sampleConfig({ plainSecrets: ['api.key'] });

  test('warns of a secret in the configuration itself', async () => {
    const check = await checkSecrets(plain, doctorPorts({ files: { [path]: privateFile } }));

    assert.equal(check.state, 'warning');
    assert.match(check.summary, /^"api\.key" is a secret in plain text/);
  });

  test('reports such a configuration when others may read it (T12)', async () => {
    const open = { ...privateFile, mode: 0o644 };

    const check = await checkSecrets(plain, doctorPorts({ files: { [path]: open } }));

    assert.equal(check.state, 'problem');
    assert.match(check.summary, /others may read/);
    assert.equal(check.hint, `Run: chmod 600 "${path}"`);
  });

  test('says when such a configuration lies in a git work tree (T12)', async () => {
    const files = { [path]: privateFile, '/home/dev/.git': privateDirectory };

    const check = await checkSecrets(plain, doctorPorts({ files }));

    assert.equal(check.state, 'warning');
    assert.match(check.summary, /\/home\/dev is a git work tree/);
  });

  test('an open configuration without secrets is not a problem', async () => {
    const open = { ...privateFile, mode: 0o644 };

    const check = await checkSecrets(sampleConfig(), doctorPorts({ files: { [path]: open } }));

    assert.equal(check.state, 'ok');
  });

  test('reads every secret file, wherever it is named, and reports one that is refused', async () => {
    const read: string[] = [];
    const config = sampleConfig({
      raw: {
        channels: { team: { webhook: { file: 'a' } }, log: { type: 'file', path: 'x' } },
        list: [{ key: { file: 'b' } }],
      },
    });

    const check = await checkSecrets(
      config,
      doctorPorts({
        readSecretFile: (file) => {
          read.push(file);
          if (file === 'a') return Promise.resolve('secret');
          throw new ConfigError('Others may use it', { hint: 'Run: chmod 600 "b"' });
        },
      }),
    );

    assert.deepEqual(read, ['a', 'b']);
    assert.deepEqual(check, {
      name: 'secrets',
      state: 'problem',
      summary: 'Others may use it',
      hint: 'Run: chmod 600 "b"',
    });
  });
});

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import type { ServiceFacts } from '../../src/setup/service.ts';
import { serviceManager } from '../../src/setup/service.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const facts: ServiceFacts = {
  platform: 'linux',
  home: '/home/dev',
  uid: 1000,
  configHome: '/home/dev/.config',
  node: '/opt/node 20/bin/node',
  main: '/home/dev/a$b/50%/"x"/main.js',
  env: { HOOKBELL_CONFIG: '/home/dev/a$b/50%.yaml', SLACK_TOKEN: 'not-for-a-file', PATH: '/bin' },
};

function contentFor(platform: NodeJS.Platform): string {
  return serviceManager({ ...facts, platform })?.content ?? '';
}

describe('the systemd unit', () => {
  test('is confined, but may compile code, which Node does (T21)', () => {
    const lines = contentFor('linux').split('\n');

    for (const line of [
      'UMask=0077',
      'NoNewPrivileges=yes',
      'LockPersonality=yes',
      'RestrictSUIDSGID=yes',
      'LimitCORE=0',
      'Restart=on-failure',
      'StartLimitBurst=5',
    ]) {
      assert.ok(lines.includes(line), line);
    }
    assert.ok(lines.some((line) => /^TasksMax=\d/.test(line)));
    assert.ok(lines.some((line) => /^MemoryMax=\d/.test(line)));
    assert.doesNotMatch(lines.join('\n'), /MemoryDenyWriteExecute/);
  });

  test(
    'has no line that systemd does not understand (T21)',
    { skip: needs('systemd-analyze') },
    async () => {
      await using directory = await temporaryDirectory();
      const unit = join(directory.path, 'hookbell.service');
      const main = fileURLToPath(import.meta.url);
      const content = serviceManager({ ...facts, node: process.execPath, main })?.content ?? '';
      await writeFile(unit, content);

      const { code, stderr } = await runProcess('systemd-analyze', ['verify', '--user', unit], {
        env: { PATH: process.env['PATH'] ?? '', XDG_RUNTIME_DIR: directory.path },
      });

      assert.deepEqual([code, stderr], [0, '']);
    },
  );

  test('takes paths as they are: "%" and quotes are escaped, "$" in the command only', () => {
    const content = contentFor('linux');

    assert.match(
      content,
      /^ExecStart="\/opt\/node 20\/bin\/node" "\/home\/dev\/a\$\$b\/50%%\/\\"x\\"\/main\.js"$/m,
    );
    assert.match(content, /^Environment="HOOKBELL_CONFIG=\/home\/dev\/a\$b\/50%%\.yaml"$/m);
  });
});

describe('the launchd agent', () => {
  test('runs in sessions with a desktop, for nobody else to read, and again after a crash', () => {
    const content = contentFor('darwin');

    assert.match(content, /<key>LimitLoadToSessionType<\/key><string>Aqua<\/string>/);
    assert.match(content, /<key>Umask<\/key><integer>63<\/integer>/);
    assert.match(content, /<key>KeepAlive<\/key><dict><key>SuccessfulExit<\/key><false\/><\/dict>/);
  });

  test('takes paths as they are', () => {
    const { content = '' } =
      serviceManager({ ...facts, platform: 'darwin', main: '/a & b/<x>/main.js' }) ?? {};

    assert.match(content, /<string>\/a &amp; b\/&lt;x&gt;\/main\.js<\/string>/);
  });
});

for (const platform of ['linux', 'darwin'] as const) {
  test(`serviceManager(): on ${platform} only what says where files are passes into the file (T12)`, () => {
    const content = contentFor(platform);

    assert.match(content, /HOOKBELL_CONFIG/);
    assert.doesNotMatch(content, /SLACK_TOKEN|not-for-a-file/);
  });
}

test('serviceManager() knows none on Windows', () => {
  assert.equal(serviceManager({ ...facts, platform: 'win32' }), null);
});

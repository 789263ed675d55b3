import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { serviceManager } from '../../src/setup/service.ts';
import type { ServiceFacts } from '../../src/setup/services/service-manager.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const facts: ServiceFacts = {
  platform: 'linux',
  home: '/home/dev',
  user: 'dev',
  uid: 1000,
  configHome: '/home/dev/.config',
  spool: '/home/dev/100%/a b/spool',
  wake: false,
  node: '/opt/node 20/bin/node',
  main: '/home/dev/a$b/50%/"x"/main.js',
  state: '/home/dev/state',
  lastWords: '/home/dev/state/last-words',
  config: '/home/dev/a$b/50%.yaml',
};

function contentFor(platform: NodeJS.Platform): string {
  return serviceManager({ ...facts, platform })?.files[0].content ?? '';
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
    'has no line that systemd does not understand, nor has the one that waits for events (T21)',
    { skip: needs('systemd-analyze') },
    async () => {
      await using directory = await temporaryDirectory();
      const main = fileURLToPath(import.meta.url);
      const manager = serviceManager({ ...facts, node: process.execPath, main, wake: true });
      const units: string[] = [];
      for (const { path, content } of manager?.files ?? []) {
        units.push(join(directory.path, basename(path)));
        await writeFile(units.at(-1) ?? '', content);
      }

      const { code, stderr } = await runProcess('systemd-analyze', ['verify', '--user', ...units], {
        env: { PATH: process.env['PATH'] ?? '', XDG_RUNTIME_DIR: directory.path },
      });

      assert.equal(units.length, 2);
      assert.deepEqual([code, stderr], [0, '']);
    },
  );

  test('is woken by the spool only where that is wished for, and both units go again', () => {
    const {
      files = [],
      enable = [],
      disable = [],
    } = serviceManager({ ...facts, wake: true }) ?? {};
    const without = serviceManager(facts);

    const unit = files[1]?.content ?? '';
    assert.match(unit, /^DirectoryNotEmpty=\/home\/dev\/100%%\/a b\/spool$/m);
    assert.equal(enable.at(-1)?.join(' '), 'systemctl --user enable --now hookbell.path');
    assert.equal(disable[0]?.join(' '), 'systemctl --user disable --now hookbell.path');
    assert.equal(without?.files.length, 1);
    assert.doesNotMatch(String(without?.enable), /hookbell\.path/);
  });

  test('takes paths as they are: "%", "$" and quotes are escaped', () => {
    const content = contentFor('linux');

    assert.match(
      content,
      / "\/opt\/node 20\/bin\/node" "\/home\/dev\/a\$\$b\/50%%\/\\"x\\"\/main\.js" .* "HOOKBELL_CONFIG=\/home\/dev\/a\$\$b\/50%%\.yaml"$/m,
    );
  });
});

describe('the launchd agent', () => {
  test('runs in sessions with a desktop, readable only by its user, and again after a crash', () => {
    const content = contentFor('darwin');

    assert.match(content, /<key>LimitLoadToSessionType<\/key><string>Aqua<\/string>/);
    assert.match(content, /<key>Umask<\/key><integer>63<\/integer>/);
    assert.match(content, /<key>KeepAlive<\/key><dict><key>SuccessfulExit<\/key><false\/><\/dict>/);
  });

  test('takes paths as they are', () => {
    const manager = serviceManager({ ...facts, platform: 'darwin', main: '/a & b/<x>/main.js' });

    assert.match(
      manager?.files[0].content ?? '',
      /<string>\/a &amp; b\/&lt;x&gt;\/main\.js<\/string>/,
    );
  });

  test(
    'is a property list with the words of the command',
    { skip: needs('plistutil') },
    async () => {
      const env = { PATH: process.env['PATH'] ?? '' };
      await using directory = await temporaryDirectory();
      const binary = join(directory.path, 'binary.plist');
      const input = contentFor('darwin');

      // There and back: what is read anew is what was understood.
      const there = await runProcess('plistutil', ['-i', '-', '-o', binary, '-f', 'bin'], {
        input,
        env,
      });
      const back = await runProcess('plistutil', ['-i', binary, '-f', 'xml'], { env });

      assert.deepEqual([there.code, back.code], [0, 0]);
      const [, words = ''] =
        /<key>ProgramArguments<\/key>\s*<array>(.*?)<\/array>/s.exec(back.stdout) ?? [];
      const all = [...words.matchAll(/<string>(.*?)<\/string>/g)].map(([, word]) => word);
      assert.equal(all[4], facts.lastWords);
      assert.deepEqual(all.slice(5, 7), [facts.node, facts.main]);
    },
  );
});

/** The words of the command in a unit, as systemd.service(5) reads them. */
function unitWords(unit: string): readonly string[] {
  const [, line = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  return [...line.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, word = '']) =>
    word.replaceAll(/\\(.)/g, '$1').replaceAll('%%', '%').replaceAll('$$', '$'),
  );
}

/** The words of the command in a property list. */
function agentWords(list: string): readonly string[] {
  const [, words = ''] = /<array>(.*?)<\/array>/s.exec(list) ?? [];
  return [...words.matchAll(/<string>(.*?)<\/string>/gs)].map(([, word = '']) =>
    word.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  );
}

const managers = { linux: unitWords, darwin: agentWords } as const;
for (const platform of ['linux', 'darwin'] as const) {
  test(`on ${platform} no variable of the service manager reaches Node but what names the desktop (D3)`, async () => {
    await using directory = await temporaryDirectory();
    const node = join(directory.path, `no"de $HOME 50%`);
    await writeFile(node, '#!/bin/sh\nenv\nprintf "main=%s\\n" "$@"\n', { mode: 0o700 });
    const content = serviceManager({ ...facts, platform, node })?.files[0].content ?? '';
    const [program = '', ...words] = managers[platform](content);

    const { code, stdout } = await runProcess(program, words, {
      env: {
        PATH: '/evil/bin',
        HOME: '/evil',
        NODE_OPTIONS: '--inspect --require /evil.cjs',
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        NODE_EXTRA_CA_CERTS: '/evil.pem',
        OPENSSL_CONF: '/evil.cnf',
        BASH_ENV: '/evil.sh',
        HOOKBELL_CONFIG: '/evil.yaml',
        HTTPS_PROXY: 'http://evil',
        DISPLAY: ':1',
        INVOCATION_ID: 'a b',
      },
    });

    assert.equal(code, 0);
    assert.deepEqual(
      stdout
        .trimEnd()
        .split('\n')
        // Of a shell that stands in for Node.
        .filter((line) => !/^(?:PWD|OLDPWD|SHLVL|_)=/.test(line))
        .toSorted(),
      [
        'DISPLAY=:1',
        `HOME=${facts.home}`,
        `HOOKBELL_CONFIG=${facts.config}`,
        `HOOKBELL_STATE_DIR=${facts.state}`,
        'INVOCATION_ID=a b',
        'PATH=/usr/local/bin:/usr/bin:/bin',
        'main=--service',
        `main=${facts.main}`,
      ],
    );
  });
}

test('systemd removes what would act in the shell of the command (D3)', () => {
  assert.match(contentFor('linux'), /^UnsetEnvironment=LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH$/m);
});

describe('the task of Windows', () => {
  const windows: ServiceFacts = {
    ...facts,
    platform: 'win32',
    user: 'PC\\A & B',
    configHome: String.raw`C:\Users\A & B\AppData`,
    node: String.raw`C:\Program Files\node.exe`,
    main: String.raw`C:\x\daemon.js`,
    state: String.raw`C:\state`,
    config: String.raw`C:\c & d.yaml`,
  };

  test('starts Node without a window at log-on, as often as it must, for as long as it likes', async () => {
    const manager = serviceManager(windows);
    const { path, content } = manager?.files[0] ?? { path: '', content: '' };

    assert.equal(path, String.raw`C:\Users\A & B\AppData\hookbell\task.xml`);
    assert.match(content, /<LogonTrigger>\s*<UserId>PC\\A &amp; B<\/UserId>/);
    assert.match(content, /<ExecutionTimeLimit>PT0S</);
    assert.ok(
      content.includes(
        String.raw`set "HOOKBELL_STATE_DIR=C:\state"&amp;&amp;set "HOOKBELL_CONFIG=C:\c &amp; d.yaml"&amp;&amp;"C:\Program Files\node.exe" "C:\x\daemon.js" --service"</Arguments>`,
      ),
      content,
    );
    assert.match(content, /<Arguments>--headless cmd\.exe \/d \/s \/c "set "NODE_OPTIONS="&amp;/);
    assert.deepEqual(manager?.enable, [
      ['schtasks', '/Create', '/TN', 'hookbell', '/XML', path, '/F'],
    ]);
    assert.deepEqual(manager?.status, ['schtasks', '/Query', '/TN', 'hookbell']);
    assert.deepEqual(manager?.disable.at(-1), ['schtasks', '/Delete', '/TN', 'hookbell', '/F']);
  });

  test('is XML', { skip: needs('xmllint') }, async () => {
    const { code, stderr } = await runProcess('xmllint', ['--noout', '-'], {
      input: serviceManager(windows)?.files[0].content ?? '',
      env: { PATH: process.env['PATH'] ?? '' },
    });

    assert.deepEqual([code, stderr], [0, '']);
  });
});

test('serviceManager() knows none on other systems', () => {
  assert.equal(serviceManager({ ...facts, platform: 'freebsd' }), null);
});

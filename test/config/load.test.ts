import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Loaded } from '../../src/config/load.ts';
import { loadConfig, parseConfig, readConfigText } from '../../src/config/load.ts';
import { formatProblem } from '../../src/config/problem.ts';
import { type FarFiles, HungPathError } from '../../src/core/far-files.ts';
import { needsOtherUser } from '../support/other-user.ts';
import { needs } from '../support/system-part.ts';
import { sampleCatalog } from '../support/sample-channels.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const options = { catalog: sampleCatalog };

function problemLines(loaded: Loaded): string[] {
  return loaded.ok ? [] : loaded.problems.map(formatProblem);
}

/** Root may read everything, so as root the work runs as an unprivileged user. */
async function withoutRoot<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.('nobody');
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe('loadConfig()', () => {
  test('takes the defaults without a file', async () => {
    const loaded = await loadConfig('/nonexistent/config.yaml', options);

    assert.ok(loaded.ok);
    const { path, exists, channels, policy, templates, history, api } = loaded.config;
    assert.deepEqual({ path, exists }, { path: '/nonexistent/config.yaml', exists: false });
    assert.deepEqual(
      channels.map(({ name, type }) => `${name}: ${type}`),
      ['desktop: desktop', 'inbox: inbox'],
    );
    assert.deepEqual(policy.routes, [
      {
        name: 'default: waiting and failures',
        match: { severity: ['warning', 'critical'] },
        plan: 'default: waiting and failures',
        also: false,
      },
      {
        name: 'default: long turns',
        match: { kind: ['turn.done'], longerThanMs: 20_000 },
        plan: 'default: long turns',
        also: false,
      },
    ]);
    for (const { plan } of policy.routes) {
      assert.deepEqual(policy.plans[plan]?.steps, [
        { afterMs: 0, notify: ['desktop', 'inbox'], repeat: null, condition: null },
      ]);
    }
    assert.deepEqual(policy.plans['none'], { name: 'none', steps: [] });
    assert.deepEqual(templates, { title: {}, body: {} });
    assert.deepEqual(history, { keepMs: 90 * 86_400_000, maxBytes: 500_000_000 });
    assert.equal(api, null);
    assert.deepEqual(loaded.warnings, []);
  });

  test('does not load the YAML parser without a file', () => {
    const module = new URL('../../src/config/load.js', import.meta.url).href;
    const hook = `export function resolve(name, context, next) {
      if (name === 'yaml') throw new Error('yaml was imported');
      return next(name, context);
    }`;
    const script = `
      import { register } from 'node:module';
      register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));
      const { loadConfig } = await import(${JSON.stringify(module)});
      const { sampleCatalog } = await import(${JSON.stringify(new URL('../support/sample-channels.js', import.meta.url).href)});
      const load = (path) => loadConfig(path, { catalog: sampleCatalog });
      const missing = await load('/nonexistent/config.yaml');
      const present = await load(${JSON.stringify(import.meta.filename)}).catch((error) => error.message);
      process.stdout.write(JSON.stringify([missing.ok, present]));
    `;

    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });

    assert.equal(stdout, '[true,"yaml was imported"]', stderr);
  });

  test('names the file, line and column of a problem', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'config.yaml');
    await writeFile(path, 'channels:\n  desktop: { type: desktp }\n');

    assert.deepEqual(problemLines(await loadConfig(path, options)), [
      `${path}:2:20 channels.desktop.type: names the unknown type "desktp", did you mean "desktop"?`,
    ]);
  });

  test('takes an empty file, and one of comments only, as the defaults', async () => {
    for (const text of ['', '# nothing\n', '\uFEFF---\n']) {
      const loaded = await parseConfig(text, 'c.yaml', options);

      assert.ok(loaded.ok);
      assert.equal(loaded.config.exists, true);
      assert.equal(loaded.config.policy.routes[0]?.name, 'default: waiting and failures');
    }
  });

  test('says of a file as a whole why it cannot be taken', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'config.yaml');

    await mkdir(path);
    assert.deepEqual(problemLines(await loadConfig(path, options)), [`${path}: is not a file`]);

    const file = join(directory.path, 'file.yaml');
    await writeFile(file, Buffer.from([0x61, 0x3a, 0x20, 0xff]));
    assert.deepEqual(problemLines(await loadConfig(file, options)), [
      `${file}: is not valid UTF-8`,
    ]);

    await writeFile(file, '#'.repeat(1_000_001));
    assert.deepEqual(problemLines(await loadConfig(file, options)), [
      `${file}: is larger than 1 MB`,
    ]);

    const below = join(file, 'config.yaml');
    assert.deepEqual(problemLines(await loadConfig(below, options)), [
      `${below}: cannot be read: ENOTDIR`,
    ]);
  });

  test('refuses a file that others can write to, and says what to run (D10)', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'config.yaml');
    await writeFile(path, '');
    await chmod(path, 0o666);

    const [line] = problemLines(await loadConfig(path, options));
    assert.match(
      line ?? '',
      /is not used, because others may write to ".*" \(mode 0666\): run "chmod go-w" on/,
    );
    await chmod(path, 0o644);
    assert.equal((await loadConfig(path, options)).ok, true);
    await chmod(directory.path, 0o777);
    assert.match(problemLines(await loadConfig(path, options))[0] ?? '', /mode 0777/);
  });

  test(
    'takes a file that umask 002 left to your own group, refuses one of a shared group or another user (D10)',
    {
      skip: needsOtherUser(),
    },
    async () => {
      await using directory = await temporaryDirectory();
      const path = join(directory.path, 'config.yaml');
      await writeFile(path, '');
      await chmod(path, 0o664);
      assert.equal((await loadConfig(path, options)).ok, true);

      await chown(path, 0, 100);
      assert.match(problemLines(await loadConfig(path, options))[0] ?? '', /mode 0664/);
      await chown(path, 65534, 65534);
      assert.match(problemLines(await loadConfig(path, options))[0] ?? '', /belongs to user 65534/);
    },
  );

  test('does not hang on a FIFO', { skip: needs('mkfifo') }, async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'config.yaml');
    spawnSync('mkfifo', [path]);

    assert.deepEqual(problemLines(await loadConfig(path, options)), [`${path}: is not a file`]);
  });

  test('says that it may not read the file', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'config.yaml');
    await writeFile(path, '');
    await chmod(path, 0);

    const loaded = await withoutRoot(() => loadConfig(path, options));

    assert.deepEqual(problemLines(loaded), [`${path}: cannot be read: permission denied`]);
  });
});

describe('parseConfig()', () => {
  test('answers with a value whatever the text is (fault 46)', async () => {
    const word = fc.constantFrom(
      'channels',
      'plans',
      'routes',
      'match',
      'notify',
      'desktop',
      'type',
      '__proto__',
      'constructor',
      ': ',
      ':\n',
      '\n',
      '  ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      ',',
      '"',
      "'",
      '#',
      '&a ',
      '*a',
      '<<',
      '? ',
      '!x ',
      '%YAML 1.1\n---\n',
      '\t',
      '|\n',
      '12',
      'null',
      '\u0000',
      '\uD800',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 40 }), async (words) => {
        const loaded = await parseConfig(words.join(''), 'c.yaml', options);

        if (loaded.ok) return;
        assert.notEqual(loaded.problems.length, 0);
        for (const { line, column } of loaded.problems)
          assert.ok(Number(line) >= 1 && Number(column) >= 1);
      }),
      { numRuns: 500 },
    );
  });

  test('refuses documents that grow or nest beyond measure (P52)', async () => {
    const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefgh'
      .split('')
      .map((key, index) => {
        const before = String.fromCodePoint(key.charCodeAt(0) - 1);
        return `${key}: &${key} [${`*${before}, `.repeat(8 + (index % 2))}x]`;
      })
      .join('\n')}`;

    assert.match(problemLines(await parseConfig(bomb, '', options)).join(), /alias/i);
    assert.notEqual(problemLines(await parseConfig('['.repeat(5_000), '', options)).length, 0);
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    assert.notEqual(problemLines(await parseConfig(deep, '', options)).length, 0);
  });

  test('reports the first fifty errors of a text with an error in every byte', async () => {
    const before = Error.stackTraceLimit;

    assert.equal(problemLines(await parseConfig('}}'.repeat(500), '', options)).length, 50);
    assert.equal(Error.stackTraceLimit, before);
  });
});

const filesThat = (answer: () => Promise<never>): FarFiles => ({ run: answer });

describe('readConfigText()', () => {
  const path = '/mnt/far/config.yaml';

  test('says that the file system of a configuration does not answer', async () => {
    const hung = new HungPathError(path, { place: '/mnt/far', isUntouched: true });

    assert.deepEqual(
      await readConfigText(
        filesThat(() => Promise.reject(hung)),
        path,
      ),
      {
        type: 'unusable',
        reason: 'cannot be read: its file system does not answer',
      },
    );
  });

  test('passes a fault on, instead of blaming the file system', async () => {
    const fault = new TypeError('a bug');

    await assert.rejects(
      readConfigText(
        filesThat(() => Promise.reject(fault)),
        path,
      ),
      fault,
    );
  });
});

test('parseConfig() refuses a text of more than 1 MB, which another part of the program may have read', async () => {
  assert.deepEqual(problemLines(await parseConfig('#'.repeat(1_000_001), 'c.yaml', options)), [
    'c.yaml: is larger than 1 MB',
  ]);
});

test('loadConfig() lists problems in the order of the file, also within a line', async () => {
  const text = 'b: 1\nroutes: [{ plan: night }, { plan: 5 }]\na: 1\n';

  assert.deepEqual(
    problemLines(await parseConfig(text, 'c.yaml', options)).map((line) =>
      line.replace(/: .*$/, ''),
    ),
    ['c.yaml:1:1 b', 'c.yaml:2:18 routes[0].plan', 'c.yaml:2:35 routes[1].plan', 'c.yaml:3:1 a'],
  );
});

test('loadConfig() lists warnings about the defaults without a place in a file', async () => {
  const loaded = await loadConfig('/nonexistent/config.yaml', {
    ...options,
    examine: async () => [
      { path: ['channels', 'desktop'], at: 'key', message: 'needs a program' },
      { path: ['api'], at: 'value', message: 'is off' },
    ],
  });

  assert.ok(loaded.ok);
  assert.deepEqual(loaded.warnings.map(formatProblem), [
    '/nonexistent/config.yaml channels.desktop: needs a program',
    '/nonexistent/config.yaml api: is off',
  ]);
});

test('parseConfig() refuses certificates of more than 1 MB (C5)', async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'ca.pem');
  await writeFile(file, 'x'.repeat(1_000_001));

  assert.deepEqual(
    problemLines(await parseConfig(`ca_file: ${file}`, join(directory.path, 'c.yaml'), options)),
    [`${join(directory.path, 'c.yaml')}:1:10 ca_file: is larger than 1 MB: "${file}"`],
  );
});

describe('C5: ca_file', () => {
  test(
    'is read from beside the configuration, and must hold certificates alone',
    {
      skip: needs('openssl'),
    },
    async () => {
      await using directory = await temporaryDirectory();
      const file = (name: string): string => join(directory.path, name);
      const config = file('config.yaml');
      const made = spawnSync(
        'openssl',
        [
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
        ].concat(['-subj', '/CN=Own CA', '-keyout', file('key.pem'), '-out', file('ca.pem')]),
      );
      assert.equal(made.status, 0);
      await writeFile(file('empty.pem'), 'nothing\n');
      await writeFile(
        file('broken.pem'),
        '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      );
      const said = async (name: string): Promise<string[]> =>
        problemLines(await parseConfig(`ca_file: ${name}`, config, options));

      const loaded = await parseConfig('ca_file: ca.pem', config, options);
      assert.ok(loaded.ok);
      assert.match(loaded.config.authorities ?? '', /^-----BEGIN CERTIFICATE-----/);
      const at = `${config}:1:10 ca_file:`;
      assert.deepEqual(await said('gone.pem'), [
        `${at} cannot be read: "${file('gone.pem')}": it does not exist`,
      ]);
      assert.deepEqual(await said('empty.pem'), [
        `${at} contains no PEM certificate: "${file('empty.pem')}"`,
      ]);
      assert.deepEqual(await said('broken.pem'), [
        `${at} contains an invalid certificate, number 1: "${file('broken.pem')}"`,
      ]);
      assert.deepEqual(await said('key.pem'), [
        `${at} contains a private key, expected only certificates: "${file('key.pem')}"`,
      ]);
    },
  );
});

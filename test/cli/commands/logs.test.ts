import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFile, rename, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';
import { harmlessText, hostileText } from '../../support/sample-views.ts';

function entry(level: string, msg: string, fields: object = {}): string {
  return `${JSON.stringify({ level, time: '2026-03-01T10:00:00.000Z', pid: 1, ...fields, msg })}\n`;
}

const log = [
  entry('info', 'The daemon is ready', { spool: '/tmp/s' }),
  entry('warn', 'Cannot reach the channel', { channel: 'team', reason: hostileText }),
  entry('error', 'It failed', { err: { name: 'Error', message: 'no disk', stack: 'at x' } }),
].join('');

describe('hookbell logs (B18)', () => {
  test('prints the last entries readably, and nothing that a terminal would act on', async () => {
    await using cli = await commandLine();
    await cli.write('s/daemon.log', log);

    const { code, stdout } = await cli.run(['logs', '-n', '2']);

    const [warning = '', error] = stdout.split('\n');
    assert.equal(
      warning,
      `2026-03-01 10:00:00 warn  Cannot reach the channel channel=team reason="${harmlessText}"`,
    );
    assert.equal(error, '2026-03-01 10:00:00 error It failed err="no disk"');
    assert.equal(code, 0);
  });

  test('--level leaves out what is less severe, --json prints entries as they are', async () => {
    await using cli = await commandLine();
    await cli.write('s/daemon.log', log);

    const { stdout } = await cli.run(['logs', '--level', 'error', '--json']);

    assert.deepEqual(JSON.parse(stdout), JSON.parse(log.trimEnd().split('\n')[2] ?? ''));
  });

  test('-f goes on with what is written, also behind a log that was moved aside', async () => {
    await using cli = await commandLine();
    const path = await cli.write('s/daemon.log', log);
    const child = cli.start(['logs', '-f', '-n', '1']);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value);

    assert.match(await next(), /It failed/);
    await appendFile(path, entry('info', 'Second'));
    assert.match(await next(), /Second/);
    await rename(path, `${path}.1`);
    await writeFile(path, entry('info', 'Third'));
    assert.match(await next(), /Third/);

    const ended = once(child, 'exit');
    child.kill('SIGINT');
    assert.deepEqual(await ended, [0, null]);
  });

  test('cleans a line that is not an entry, whatever level is asked for, and prints entries of unknown forms', async () => {
    await using cli = await commandLine();
    const lines = [
      `not JSON ${hostileText.replace('\n', ' ')}`,
      '{"level":"strange","msg":5,"code":7,"none":null,"plain":"a/b:1","err":{"code":"E"}}',
      '{"level":"debug","msg":"Looked"}',
    ];
    await cli.write('s/daemon.log', `${lines.join('\n')}\n`);

    const all = await cli.run(['logs']);
    const warnings = await cli.run(['logs', '--level', 'warn']);

    const [text = '', strange = '', debug] = all.stdout.trimEnd().split('\n');
    assert.equal(text, `not JSON ${harmlessText}`);
    assert.equal(strange, '- info  code=7 none=null plain=a/b:1 err={"code":"E"}');
    assert.equal(debug, '- debug Looked');
    assert.equal(warnings.stdout, `${text}\n${strange}\n`);
  });

  test('-f leaves out what is less severe, and waits where the log is gone for a moment', async () => {
    await using cli = await commandLine();
    const path = await cli.write('s/daemon.log', log);
    const child = cli.start(['logs', '-f', '-n', '1', '--level', 'warn']);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value);

    assert.match(await next(), /It failed/);
    await rename(path, `${path}.1`);
    await appendFile(`${path}.1`, entry('info', 'Quiet') + entry('error', 'Last words'));
    assert.match(await next(), /Last words/);
    await writeFile(path, entry('info', 'Started') + entry('warn', 'Slow'));
    assert.match(await next(), /Slow/);

    const ended = once(child, 'exit');
    child.kill('SIGINT');
    assert.deepEqual(await ended, [0, null]);
  });

  test('does not take a log that cannot be opened for one that does not exist', async () => {
    await using cli = await commandLine();
    await cli.write('s', 'a file where the directory of the log should be');

    const { code, stderr } = await cli.run(['logs']);

    assert.equal(code, 1);
    assert.match(stderr, /Cannot use ".*daemon\.log": a part of the path is a file/);
    assert.doesNotMatch(stderr, /does not exist/);
  });

  test('says what to run before the first log', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['logs']);

    assert.equal(code, 6);
    assert.match(stderr, /Log ".*daemon\.log" does not exist\n {2}.*hookbell start/);
  });
});

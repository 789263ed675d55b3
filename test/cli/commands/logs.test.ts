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

  test('says what to run before the first log', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['logs']);

    assert.equal(code, 6);
    assert.match(stderr, /Log ".*daemon\.log" does not exist\n {2}.*hookbell start/);
  });
});

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { defineLimits } from '../../../../src/cli/vendor/commands/limits.ts';
import { type ServiceCommand, serviceCommand } from '../../../support/service-command.ts';
import { json } from '../../../vendor/client/service.ts';

async function limitsFile({ home }: ServiceCommand, ...rows: string[]): Promise<string> {
  const path = join(home, 'limits.csv');
  await writeFile(path, ['email,limit', ...rows, ''].join('\n'));
  return path;
}

test('hookbell service limits set --dry-run shows what would change in every form, and sends nothing', async () => {
  await using command = await serviceCommand(defineLimits);
  command.service.answer(json({ updated: [{ email: 'ada@x.test', limit: 4 }], errors: [] }));
  await command.run(['limits', 'set', 'ada@x.test=4']);

  const words = ['limits', 'set', 'ada@x.test=5', 'ben@x.test=6', '--dry-run'];
  const people = await command.run(words);
  const csv = await command.run([...words, '--csv']);
  const whole = await command.run(words, { json: true });

  assert.equal(command.service.requests.length, 1);
  assert.match(people.stdout, /^ada@x\.test +4 → 5\nben@x\.test +\? → 6\n$/m);
  assert.match(
    people.stderr,
    /"\?": not set from this machine before[^]*Nothing was sent: 2 would/,
  );
  assert.equal(csv.stdout, 'email,before,asked\r\nada@x.test,4,5\r\nben@x.test,,6\r\n');
  assert.deepEqual(JSON.parse(whole.stdout), [
    { email: 'ada@x.test', before: '4', asked: '5' },
    { email: 'ben@x.test', before: null, asked: '6' },
  ]);
});

test('hookbell service limits set --csv prints each result, and a limit that is not as asked ends with 8', async () => {
  await using command = await serviceCommand(defineLimits);
  command.service.answer(json({ updated: [{ email: 'ada@x.test', limit: 4 }], errors: [] }));

  const { code, stdout, stderr } = await command.run(['limits', 'set', 'ada@x.test=5', '--csv']);

  assert.equal(code, 8);
  assert.equal(
    stdout,
    'email,asked,result,returned_limit,error\r\nada@x.test,5,updated,4,the service set another limit\r\n',
  );
  assert.match(stderr, /setting a limit again is safe/);
});

test('hookbell service limits set removes a limit only with --allow-null', async () => {
  await using command = await serviceCommand(defineLimits);
  command.service.answer(json({ updated: [{ email: 'ada@x.test', limit: null }], errors: [] }));

  const refused = await command.run(['limits', 'set', 'ada@x.test=null']);
  const sent = await command.run(['limits', 'set', 'ada@x.test=null', '--allow-null']);

  assert.deepEqual([refused.code, sent.code], [2, 0]);
  assert.match(refused.stderr, /removes a limit, which needs --allow-null/);
  assert.deepEqual(
    command.service.requests.map(({ body }) => JSON.parse(body)),
    [{ users: [{ email: 'ada@x.test', limit: null }] }],
  );
});

test('hookbell service limits apply takes "null" in a file only with --allow-null', async () => {
  await using command = await serviceCommand(defineLimits);
  const file = await limitsFile(command, 'ada@x.test,null');
  command.service.answer(json({ updated: [{ email: 'ada@x.test', limit: null }], errors: [] }));

  const refused = await command.run(['limits', 'apply', file]);
  const sent = await command.run(['limits', 'apply', file, '--allow-null']);

  assert.deepEqual([refused.code, sent.code], [2, 0]);
  assert.equal(command.service.requests.length, 1);
  assert.match(await readFile(join(command.home, 'limits.report.csv'), 'utf8'), /,null,updated,/);
});

test('hookbell service limits apply --only-failed sends nothing where the file is not a report', async () => {
  await using command = await serviceCommand(defineLimits);
  const file = await limitsFile(command, 'ada@x.test,5');

  const { code, stderr } = await command.run(['limits', 'apply', file, '--only-failed', file]);

  assert.deepEqual([code, command.service.requests.length], [2, 0]);
  assert.match(stderr, /limits\.csv" is not a report of "hookbell service limits apply"/);
});

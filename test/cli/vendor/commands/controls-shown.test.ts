import assert from 'node:assert/strict';
import { test } from 'node:test';

import { defineControls } from '../../../../src/cli/vendor/commands/controls.ts';
import { serviceCommand } from '../../../support/service-command.ts';
import { json } from '../../../vendor/client/service.ts';

/** The command, and a service with this history. */
async function controls(...changes: readonly object[]) {
  const command = await serviceCommand(defineControls);
  command.service.answer(json({ changes, pagination: { hasMore: false } }));
  return command;
}

test('hookbell service controls get ends with 6 where there are no controls yet', async () => {
  await using command = await controls();

  const { code, stderr } = await command.run(['controls', 'get']);

  assert.equal(code, 6);
  assert.match(stderr, /has no enterprise controls yet/);
});

test('hookbell service controls get shows every setting of a revision without any as not set', async () => {
  await using command = await controls({ revision: 7, settings: null });

  const { code, stdout, stderr } = await command.run(['controls', 'get']);

  assert.deepEqual([code, stderr], [0, 'Revision 7\n']);
  const [, ...rows] = stdout.trimEnd().split('\n');
  assert.ok(rows.length > 20);
  assert.ok(rows.every((row) => row.endsWith(' not set')));
});

test('hookbell service controls get shows settings of another type and unknown ones, and says which differ', async () => {
  const settings = { cloudSessionSync: 'often', brandNew: [1], sessionRetentionDays: 30 };
  await using command = await controls({ revision: 8, settings }, { revision: 7, settings: {} });

  const { stdout, stderr } = await command.run(['controls', 'get', '8']);
  const whole = await command.run(['controls', 'get'], { json: true });

  assert.match(stdout, /^cloudSessionSync +"often"$/m);
  assert.match(stdout, /^brandNew +\[1\]$/m);
  assert.match(stdout, /^sessionRetentionDays +30$/m);
  assert.equal(stderr, 'Type differs from the documentation: $.cloudSessionSync\nRevision 8\n');
  assert.deepEqual(JSON.parse(whole.stdout), { revision: 8, settings });
});

test('hookbell service controls diff names who changed what is unknown about, and that nothing differs', async () => {
  const settings = { cloudSessionSync: true };
  await using command = await controls(
    { revision: 9, settings },
    { revision: 8, settings: {}, user: { id: 'u1' }, updatedAt: 'lately' },
    { revision: 7, settings },
  );

  const { code, stdout, stderr } = await command.run(['controls', 'diff', '7', '9']);

  assert.deepEqual([code, stdout], [0, '']);
  assert.equal(
    stderr,
    'No settings differ\nRevision 9, compared with 7\n9 by Someone\n8 by u1 on lately\n',
  );
});

test('hookbell service controls history compares the last change it shows with the one behind it', async () => {
  await using command = await controls(
    { revision: 9, settings: { a: 1 }, user: { name: 'Ada' } },
    { revision: 8, settings: { a: 2 } },
    { revision: 7 },
  );

  const cut = await command.run(['controls', 'history', '--max', '1']);
  const whole = await command.run(['controls', 'history']);
  const listed = await command.run(['controls', 'history', '--max', '2'], { json: true });

  assert.match(cut.stdout, /^ *9 +- +Ada +a changed$/m);
  assert.equal(cut.stdout.trimEnd().split('\n').length, 2);
  assert.equal(cut.stderr, 'Showing the first 1: raise --max to see more\n');
  assert.equal(whole.stderr, '');
  assert.match(whole.stdout, /^ *8 +- +- +a set$/m);
  assert.match(whole.stdout, /^ *7 +- +- +\(first available revision\)$/m);
  assert.deepEqual(JSON.parse(listed.stdout), [
    { revision: 9, settings: { a: 1 }, user: { name: 'Ada' } },
    { revision: 8, settings: { a: 2 } },
  ]);
});

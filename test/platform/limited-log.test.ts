import assert from 'node:assert/strict';
import { test } from 'node:test';

import { limitWarnings, type Log } from '../../src/platform/log.ts';

test('limitWarnings() writes the same warning once a minute, with the number of those left out (D15)', () => {
  const lines: string[] = [];
  let at = 0;
  const note = (fields: object, sentence: string): void => {
    lines.push(`${sentence} ${JSON.stringify(fields)}`);
  };
  const inner: Log = { debug: note, info: note, warn: note, error: note };
  const log = limitWarnings(inner, () => at);

  for (let count = 0; count < 1_000; count += 1) log.warn({ path: '/x' }, 'Refused');
  log.warn({}, 'Another');
  log.error({}, 'Refused');
  at = 60_000;
  log.warn({ path: '/y' }, 'Refused');

  assert.deepEqual(lines, [
    'Refused {"path":"/x"}',
    'Another {}',
    'Refused {}',
    'Refused {"path":"/y","suppressed":999}',
  ]);
});

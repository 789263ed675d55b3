import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { freshState } from '../../src/delivery/channel-health.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { Notification } from '../../src/core/notification.ts';
import { circuitWarnings, configWarning } from '../../src/daemon/warning-texts.ts';
import { createWarnings } from '../../src/delivery/warnings.ts';

function setUp() {
  const told: Notification[] = [];
  const warnings = createWarnings({ now: () => 5, newId: () => 'id', log: silentLog });
  return { warnings, told, connect: () => warnings.connect((one) => void told.push(one)) };
}

describe('createWarnings()', () => {
  test('sends each warning once, and lists it until it is cleared', () => {
    const { warnings, told, connect } = setUp();
    connect();

    warnings.raise('disk', 'Nearly full');
    warnings.raise('disk', 'Even fuller');

    assert.deepEqual(
      told.map(({ body }) => body),
      ['Nearly full'],
    );
    assert.deepEqual(warnings.list(), ['Even fuller']);
    warnings.clear('disk');
    assert.deepEqual(warnings.list(), []);
  });

  test('sends warnings that were raised before it was connected', () => {
    const { warnings, told, connect } = setUp();
    warnings.raise('database', 'Was damaged');

    connect();

    assert.equal(told[0]?.body, 'Was damaged');
  });

  test('sends a warning again that is raised after it was cleared', () => {
    const { warnings, told, connect } = setUp();
    connect();

    warnings.raise('disk', 'Nearly full');
    warnings.clear('disk');
    warnings.raise('disk', 'Nearly full');

    assert.equal(told.length, 2);
  });
});

describe('circuitWarnings()', () => {
  test('raises a warning when a circuit opens and clears it when it closes (fault 35)', () => {
    const { warnings } = setUp();
    const onChange = circuitWarnings(warnings);
    const closed = freshState('team');
    const open = { ...closed, circuit: 'open' as const, lastReason: 'token_revoked' };

    onChange(open, closed);
    assert.match(warnings.list()[0] ?? '', /"team" is out of order.*token_revoked/);

    onChange(closed, open);
    assert.deepEqual(warnings.list(), []);
  });
});

test('configWarning() names the file, the first problem and how many more there are', () => {
  assert.equal(
    configWarning('/c.yaml', ['/c.yaml:1:1 x', 'y', 'z']),
    'Cannot use the configuration "/c.yaml": /c.yaml:1:1 x (and 2 more)',
  );
});

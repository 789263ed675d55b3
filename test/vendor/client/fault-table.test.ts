import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { RetryClass } from '../../../src/vendor/client/index.ts';
import { routes } from '../../../src/vendor/client/index.ts';
import { startMock } from '../../support/reference-service/reference-server.ts';
import type { Operation } from './fault-operations.ts';
import { meet, NOW, operations } from './fault-operations.ts';
import type { Row } from './fault-table.ts';
import { faultTable } from './fault-table.ts';

const TIMEOUT_MS = 10_000;

/** The operation of each class that meets the fault of a row. */
function operationsOf({ read, write }: Row): Readonly<Record<RetryClass, Operation>> {
  return {
    read: operations[read ?? 'getSession'],
    'idempotent-write': operations[write ?? 'updateSession'],
    'check-then-retry': operations.installDeps,
    'never-after-send': operations.addMessage,
  };
}

/** How many requests meet the fault. */
const METS = { once: 1, always: 1_000 } as const;

describe(
  'acceptance 207, 210, 211, 218, A10, A11, A32, A34: a fault in every retry class',
  { concurrency: 6 },
  () => {
    for (const [knob, rows] of Object.entries(faultTable)) {
      for (const row of rows) {
        test(row.title === undefined ? knob : `${knob}, ${row.title}`, async () => {
          await using mock = await startMock({ now: NOW });
          const { effect, ends, timeoutMs = TIMEOUT_MS } = row;
          const found: string[] = [];

          for (const [retry, operation] of Object.entries(operationsOf(row))) {
            for (const [met, times] of Object.entries(METS)) {
              const ended = await meet(mock, operation, { effect, times, timeoutMs });
              found.push(`${retry}, ${met}: ${ended}`);
            }
          }

          const wanted = Object.entries(ends).flatMap(([retry, ending]) =>
            typeof ending === 'string'
              ? [`${retry}, once: ${ending}`, `${retry}, always: ${ending}`]
              : [`${retry}, once: ${ending.once}`, `${retry}, always: ${ending.always}`],
          );
          assert.deepEqual(found.toSorted(), wanted.toSorted());
        });
      }
    }
  },
);

test('the fault table has every row below the knob its effect turns', () => {
  for (const [knob, rows] of Object.entries(faultTable)) {
    assert.ok(rows.length > 0, `${knob} has no row`);
    for (const { effect } of rows) {
      const one = typeof effect === 'function' ? effect(operations.getSession) : effect;
      const turned = [
        one.kind,
        'fault' in one ? one.fault : null,
        knob.endsWith(' before') || knob.endsWith(' after')
          ? 'when' in one
            ? one.when
            : 'before'
          : null,
      ];
      assert.equal(turned.filter((part) => part !== null).join(' '), knob);
    }
  }
});

test('the fault table has an operation of every retry class there is', () => {
  const classes = new Set(Object.values(routes).map(({ retry }) => retry));
  const [first] = faultTable.latency;

  assert.deepEqual(Object.keys(first?.ends ?? {}).toSorted(), [...classes].toSorted());
});

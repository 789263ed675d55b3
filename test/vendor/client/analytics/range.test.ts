import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  checkRange,
  halveRange,
  splitRange,
} from '../../../../src/vendor/client/analytics/windows.ts';
import {
  addDays,
  countDays,
  daysOf,
  isUtcDay,
  lastDays,
} from '../../../../src/vendor/client/schema-parts.ts';
import { NOON } from '../service.ts';

test('acceptance 217, 083: the first and the last day with data pass', () => {
  const range = { startDate: '2026-01-14', endDate: '2026-03-14' };

  assert.deepEqual(checkRange(range, NOON), { ok: true, range, warnings: [] });
});

test('acceptance 081: a range that ends today is refused with the reason', () => {
  const checked = checkRange({ startDate: '2026-03-01', endDate: '2026-03-15' }, NOON);

  assert.equal(checked.ok, false);
  assert.match(checked.problem, /"2026-03-15".*yesterday \(UTC\), "2026-03-14"/);
});

test('acceptance 083, A21: an earlier start is moved with a warning, an earlier end is refused', () => {
  const moved = checkRange({ startDate: '2025-12-01', endDate: '2026-01-20' }, NOON);
  const refused = checkRange({ startDate: '2025-12-01', endDate: '2026-01-13' }, NOON);

  assert.ok(moved.ok);
  assert.deepEqual(moved.range, { startDate: '2026-01-14', endDate: '2026-01-20' });
  assert.match(moved.warnings.join(), /from "2025-12-01" to "2026-01-14"/);
  assert.equal(refused.ok, false);
});

test('acceptance 080, 081: yesterday is the one of UTC whatever TZ says', () => {
  const module = JSON.stringify(
    new URL('../../../../src/vendor/client/schema-parts.js', import.meta.url).href,
  );
  const script = `const { lastDays } = await import(${module});
    process.stdout.write(JSON.stringify(lastDays(2, Date.parse('2026-03-15T00:30:00Z'))));`;

  for (const TZ of ['America/Los_Angeles', 'Pacific/Kiritimati', 'UTC']) {
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, TZ },
      encoding: 'utf8',
    });
    assert.equal(output, '{"startDate":"2026-03-13","endDate":"2026-03-14"}', TZ);
  }
});

test('isUtcDay() knows the calendar', () => {
  for (const day of ['2026-01-14', '2028-02-29']) assert.ok(isUtcDay(day), day);
  for (const day of ['2026-02-29', '2026-13-01', '2026-1-4', '14.01.2026', '2026-01-14T00:00']) {
    assert.equal(isUtcDay(day), false, day);
  }
});

test('acceptance 219, A14: windows cover every day of a range once and are never too long', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 800 }), fc.integer({ min: 1, max: 60 }), (days, size) => {
      const range = lastDays(days, NOON);
      const windows = splitRange(range, size);

      assert.deepEqual(windows.flatMap(daysOf), daysOf(range));
      assert.ok(windows.every((window) => countDays(window) <= size));
    }),
  );
});

test('A14: halves cover every day once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 400 }), (days) => {
      const range = { startDate: '2026-02-01', endDate: addDays('2026-02-01', days - 1) };
      const halves = halveRange(range);

      assert.equal(halves.length, 2);
      assert.deepEqual(halves.flatMap(daysOf), daysOf(range));
    }),
  );
});

import assert from 'node:assert/strict';
import type { Outcome } from '../../../src/core/outcome.ts';

/** The reference of a pop-up that was shown and can be withdrawn. */
export function refOf(outcome: Outcome): string {
  assert.equal(outcome.type, 'delivered');
  return outcome.ref ?? '';
}

import type { JsonObject } from '../../core/json-object.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { dirtOf } from '../../reports/readiness-line.ts';
import type { View } from './show.ts';

export const reportView: View = {
  columns: [
    { name: 'created', from: 'createdAt', kind: 'time' },
    { name: 'repository', from: 'repoUrl', width: 50 },
    { name: 'branch', from: 'branch', width: 30 },
    {
      name: 'commit',
      from: ({ commitHash: hash }) => (typeof hash === 'string' ? hash.slice(0, 8) : hash),
    },
    { name: 'criteria', from: (item) => criteriaOf(item).length, kind: 'number' },
    { name: 'passed', from: (item) => criteriaOf(item).filter(isPassed).length, kind: 'number' },
    { name: 'marked', from: dirtOf },
    { name: 'model', from: 'modelUsed.id', width: 30 },
    { name: 'report', from: 'reportId', width: 40 },
  ],
  empty: 'No report to show',
  // The service promises no order.
  arrange: (items) => items.toSorted((left, right) => timeOf(right) - timeOf(left)),
};

function criteriaOf({ report }: JsonObject): readonly JsonObject[] {
  return isJsonObject(report) ? Object.values(report).filter(isJsonObject) : [];
}

/** Every sub-application passes; numbers that cannot be right do not. */
function isPassed({ numerator, denominator }: JsonObject): boolean {
  return typeof denominator === 'number' && denominator >= 1 && numerator === denominator;
}

function timeOf({ createdAt }: JsonObject): number {
  return typeof createdAt === 'number' ? createdAt : 0;
}

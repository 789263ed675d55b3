import type { JsonObject } from '../../core/json-object.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { dirtOf } from '../../reports/readiness-line.ts';
import type { View } from './show.ts';

export const reportView: View = {
  columns: [
    { name: 'created', from: 'createdAt', kind: 'time' },
    { name: 'repository', from: 'repoUrl' },
    { name: 'branch', from: 'branch' },
    {
      name: 'commit',
      from: ({ commitHash: hash }) => (typeof hash === 'string' ? hash.slice(0, 8) : hash),
    },
    { name: 'criteria', from: (item) => criteriaOf(item).length, kind: 'number' },
    { name: 'passed', from: (item) => criteriaOf(item).filter(isPassed).length, kind: 'number' },
    { name: 'marked', from: dirtOf },
    { name: 'model', from: 'modelUsed.id' },
    { name: 'report', from: 'reportId' },
  ],
  empty: 'No report to show',
  arrange: newestReportsFirst,
};

/** One report; its criteria are a table of their own. */
export const reportCardView: View = {
  columns: [
    { name: 'report', from: 'reportId' },
    { name: 'repository', from: 'repoUrl' },
    { name: 'branch', from: 'branch' },
    { name: 'commit', from: 'commitHash' },
    { name: 'created', from: 'createdAt', kind: 'time' },
    { name: 'marked', from: dirtOf },
    { name: 'model', from: 'modelUsed.id' },
    { name: 'reasoning effort', from: 'modelUsed.reasoningEffort' },
    { name: 'agent version', from: 'agentVersion' },
    { name: 'applications', from: applicationsOf, kind: 'lines' },
  ],
};

/** The service promises no order. Those without a time come last. */
export function newestReportsFirst(items: readonly JsonObject[]): readonly JsonObject[] {
  return items.toSorted((left, right) => timeOf(right) - timeOf(left));
}

function applicationsOf({ apps }: JsonObject): unknown {
  if (!isJsonObject(apps)) return undefined;
  return Object.entries(apps).map(([path, app]) => {
    const description = isJsonObject(app) ? app['description'] : undefined;
    return typeof description === 'string' && description !== '' ? `${path}: ${description}` : path;
  });
}

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

import { z } from 'zod';

import { isJsonObject, type JsonObject } from '../../platform/json.ts';
import { type Column, defineRoutes, type View } from './define-routes.ts';
import { flag, number, openEnum, ReportId, text, textParameter, UnixMs } from './schema-parts.ts';

export const Criterion = z.looseObject({
  /** Sub-applications that pass. */
  numerator: number,
  /** Sub-applications evaluated; at least 1. */
  denominator: number,
  rationale: text,
});
export type Criterion = z.infer<typeof Criterion>;

export const ReadinessReport = z.looseObject({
  reportId: ReportId,
  createdAt: UnixMs.nullish(),
  repoUrl: text,
  /** By application path. */
  apps: z.record(z.string(), z.looseObject({ description: text })).nullish(),
  /** By criterion id, an open set. */
  report: z.record(z.string(), Criterion).nullish(),
  commitHash: text,
  branch: text,
  /** Absent is not false: it was not checked. */
  hasLocalChanges: flag,
  hasNonRemoteCommits: flag,
  modelUsed: z
    .looseObject({
      id: text,
      reasoningEffort: openEnum(['low', 'medium', 'high', 'off']).nullish(),
    })
    .nullish(),
  agentVersion: text,
});
export type ReadinessReport = z.infer<typeof ReadinessReport>;

/** Share of sub-applications that pass, 0 to 1; null when nothing was evaluated. */
export function passShare({ numerator, denominator }: Criterion): number | null {
  if (numerator === undefined || numerator === null) return null;
  if (denominator === undefined || denominator === null || denominator === 0) return null;
  return numerator / denominator;
}

/** Why the numbers of a criterion are implausible (they are shown anyway); null if plausible. */
export function criterionWarning({ numerator, denominator }: Criterion): string | null {
  if (numerator === undefined || numerator === null) return 'numerator is missing';
  if (denominator === undefined || denominator === null) return 'denominator is missing';
  if (denominator < 1) return `denominator is ${denominator}, expected at least 1`;
  if (numerator < 0 || numerator > denominator) {
    return `numerator is ${numerator}, expected 0 to ${denominator}`;
  }
  return null;
}

export interface CriteriaChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** In both reports, with different results. */
  readonly changed: readonly string[];
}

/** Compares the criteria of two reports; their ids are an open set. */
export function compareCriteria(earlier: ReadinessReport, later: ReadinessReport): CriteriaChanges {
  const before = new Map(Object.entries(earlier.report ?? {}));
  const after = new Map(Object.entries(later.report ?? {}));
  return {
    added: [...after.keys()].filter((id) => !before.has(id)),
    removed: [...before.keys()].filter((id) => !after.has(id)),
    changed: [...after].flatMap(([id, { numerator, denominator }]) => {
      const old = before.get(id);
      const isSame = old?.numerator === numerator && old?.denominator === denominator;
      return old === undefined || isSame ? [] : [id];
    }),
  };
}

/** One key for the spellings of a repository's URL: https and ssh, with and without ".git". */
export function repositoryKey(url: string): string {
  return url
    .trim()
    .toLowerCase()
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?!\d+\/)/, '$1/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
}

/** Local changes and unpushed commits of a report; empty for a clean one. Missing flags count as clean. */
export function dirtOf({
  hasLocalChanges,
  hasNonRemoteCommits,
}: Partial<Record<'hasLocalChanges' | 'hasNonRemoteCommits', unknown>>): readonly string[] {
  return [
    ...(hasLocalChanges === true ? ['local changes'] : []),
    ...(hasNonRemoteCommits === true ? ['unpushed commits'] : []),
  ];
}

const repository: Column = { name: 'repository', from: 'repoUrl' };
const branch: Column = { name: 'branch', from: 'branch' };
const created: Column = { name: 'created', from: 'createdAt', kind: 'time' };
const marked: Column = { name: 'marked', from: dirtOf };
const model: Column = { name: 'model', from: 'modelUsed.id' };
const reportId: Column = { name: 'report', from: 'reportId' };

/** One report; its criteria are shown in a separate table. */
export const reportCardView: View = {
  columns: [
    reportId,
    repository,
    branch,
    { name: 'commit', from: 'commitHash' },
    created,
    marked,
    model,
    { name: 'reasoning effort', from: 'modelUsed.reasoningEffort' },
    { name: 'agent version', from: 'agentVersion' },
    { name: 'applications', from: applicationsOf, kind: 'lines' },
  ],
};

/** The service guarantees no order. Reports without a time come last. */
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

/** Every sub-application passes; implausible numbers do not. */
function isPassed({ numerator, denominator }: JsonObject): boolean {
  return typeof denominator === 'number' && denominator >= 1 && numerator === denominator;
}

function timeOf({ createdAt }: JsonObject): number {
  return typeof createdAt === 'number' ? createdAt : 0;
}

const positive = 'expected a positive whole number';

export const readinessRoutes = defineRoutes(
  { family: 'readiness' },
  {
    'readiness.list': {
      summary: 'Readiness reports of repositories',
      path: '/api/organization/maturity-level-reports',
      parameters: z.strictObject({
        repoId: textParameter.optional().describe('Id of a repository'),
        limit: z.int(positive).positive(positive).optional().describe('Page size'),
        startAfter: textParameter
          .optional()
          .describe('Where to continue: reportId of the last report'),
      }),
      response: z.looseObject({ reports: z.array(ReadinessReport) }),
      lists: ['reports'],
      pages: 'after',
      view: {
        columns: [
          created,
          repository,
          branch,
          {
            name: 'commit',
            from: ({ commitHash: hash }) => (typeof hash === 'string' ? hash.slice(0, 8) : hash),
          },
          { name: 'criteria', from: (item) => criteriaOf(item).length, kind: 'number' },
          {
            name: 'passed',
            from: (item) => criteriaOf(item).filter(isPassed).length,
            kind: 'number',
          },
          marked,
          model,
          reportId,
        ],
        empty: 'No reports found',
        arrange: newestReportsFirst,
      },
    },
  },
);

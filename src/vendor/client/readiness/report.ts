import { z } from 'zod';

import { flag, number, openEnum, ReportId, text, textParameter, UnixMs } from '../schema-parts.ts';

export const ListReportsParameters = z.strictObject({
  repoId: textParameter.optional().describe('Id of a repository'),
  limit: z
    .int('expected a positive whole number')
    .positive('expected a positive whole number')
    .optional()
    .describe('Page size'),
  startAfter: textParameter.optional().describe('Where to go on: reportId of the last report'),
});

export const Criterion = z.looseObject({
  /** Sub-applications that pass. */
  numerator: number,
  /** Sub-applications evaluated; at least 1. */
  denominator: number,
  rationale: text,
});
export type Criterion = z.infer<typeof Criterion>;

export const Report = z.looseObject({
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
export type Report = z.infer<typeof Report>;

export const ReportList = z.looseObject({ reports: z.array(Report) });

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
export function compareCriteria(earlier: Report, later: Report): CriteriaChanges {
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

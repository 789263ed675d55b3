import { z } from 'zod';
import { ReportId, UnixMs, flag, number, openEnum, text } from '../schema-parts.ts';

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
  /** Absent is not false: nobody looked. */
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

import { z } from 'zod';

import type { ReadinessWatchPolicy } from '../../config/poller-schema.ts';
import type { PollerMemory } from '../../core/source-event.ts';
import type { Redact } from '../../text/redact.ts';
import { type ReadinessReport, repositoryKey } from '../client/index.ts';
import {
  baselineOf,
  compareReadiness,
  isOfRepository,
  newestFirst,
  readinessLine,
  regressionTexts,
} from '../reports/compare-readiness.ts';
import { createPoller, type CreatePoller, type PollOnce, type PollerParts } from './poller.ts';

export interface ReadinessPollerOptions extends Pick<PollerParts, 'raise'> {
  readonly policy: Pick<ReadinessWatchPolicy, 'repositories'>;
  /** In any order; rejects as the client does. */
  readonly reports: () => Promise<readonly ReadinessReport[]>;
  readonly memory: PollerMemory;
  readonly redact: Redact;
}

const PAGE = 100;
const MOST_REPORTS = 5_000;
/** Maximum number of remembered branches, those with the latest reports. */
const MOST_LINES = 2_000;

export const readinessJob: CreatePoller<ReadinessWatchPolicy> = (policy, parts) => {
  const { api, memory, redactor, signal } = parts;
  return createPoller({
    ...parts,
    pollInterval: policy.pollInterval,
    look: createReadinessPoll({
      ...parts,
      policy,
      reports: () =>
        api.readiness
          .list({ limit: PAGE }, { priority: 'background', signal })
          .all({ max: MOST_REPORTS }),
      memory: memory('readiness'),
      redact: redactor.text,
    }),
  });
};

/** By branch of a repository: time of its newest report, Unix ms, and the criteria notified as fallen. */
const memorySchema = z.object({
  lines: z.array(z.object({ line: z.string(), at: z.number(), told: z.array(z.string()) })),
});
type Line = z.output<typeof memorySchema>['lines'][number];

/**
 * Raises "readiness.regression" for a new report in which a criterion is lower than in the clean report before it; one event
 * per report, and none for criteria already notified by the last one. The first poll raises no events.
 */
export function createReadinessPoll(options: ReadinessPollerOptions): PollOnce {
  const { policy, reports, raise, memory, redact } = options;
  return async () => {
    const byLine = groupByLine((await reports()).filter(isWanted));
    const storedLines = memorySchema.safeParse(await memory.read()).data?.lines ?? [];
    const lines = new Map(storedLines.map((one) => [one.line, one]));
    let isMoving = false;
    for (const [line, found] of byLine) {
      const [newest] = newestFirst(found);
      const at = newest?.createdAt ?? null;
      const stored = lines.get(line);
      if (newest === undefined || at === null || (stored !== undefined && at <= stored.at))
        continue;
      const notifiedNow = stored === undefined ? [] : await raiseRegressions(newest, found, stored);
      lines.set(line, { line, at, told: notifiedNow });
      isMoving = true;
      await memory.write({ lines: latest([...lines.values()]) });
    }
    return isMoving ? 'moving' : 'still';
  };

  function isWanted({ repoUrl }: ReadinessReport): boolean {
    const { repositories } = policy;
    return (
      repositories.length === 0 || repositories.some((name) => isOfRepository(repoUrl ?? '', name))
    );
  }

  /** Returns the criteria that are lower than in the report compared with. */
  async function raiseRegressions(
    report: ReadinessReport,
    found: readonly ReadinessReport[],
    stored: Line,
  ): Promise<string[]> {
    // Of several reports since the last poll the newest is compared with the clean one from before them: a fall in between
    // must not become the baseline.
    const baseline = baselineOf(report, found, stored.at) ?? baselineOf(report, found);
    if (baseline === null) return [];
    const compared = compareReadiness(baseline, report, redact);
    const regressions = compared.moves.filter(({ move }) => move === 'regressed');
    const now = regressions.map(
      ({ criterion, after }) => `${criterion} ${after?.numerator}/${after?.denominator}`,
    );
    if (now.every((trace) => stored.told.includes(trace))) return now;
    await raise({
      id: `readiness ${report.reportId}`,
      kind: 'notice',
      event: 'readiness.regression',
      about: `readiness/${repositoryKey(report.repoUrl ?? '')}/${report.branch ?? ''}`,
      failed: false,
      ...regressionTexts(compared, regressions),
      payload: { ...compared, moves: regressions },
    });
    return now;
  }
}

function groupByLine(
  reports: readonly ReadinessReport[],
): ReadonlyMap<string, readonly ReadinessReport[]> {
  const groups = new Map<string, ReadinessReport[]>();
  for (const report of reports) {
    const line = readinessLine(report);
    const group = groups.get(line);
    if (group === undefined) groups.set(line, [report]);
    else group.push(report);
  }
  return groups;
}

function latest(lines: readonly Line[]): readonly Line[] {
  return lines.toSorted((one, other) => other.at - one.at).slice(0, MOST_LINES);
}

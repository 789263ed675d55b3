import type { CreditRate } from '../../config/report-schema.ts';
import type { UsageCounters } from '../../core/metrics.ts';
import type { Redact, Redactor } from '../../text/redact.ts';
import {
  addDays,
  type ControlChange,
  type DayRange,
  type NamedCount,
  type ReadinessReport,
  repositoryKey,
} from '../client/index.ts';
import { compareControls, type ControlComparison, authorText } from './compare-controls.ts';
import {
  baselineOf,
  compareReadiness,
  type Move,
  newestFirst,
  type ReadinessComparison,
  readinessLine,
} from './compare-readiness.ts';
import { addUp, bars, figure, figures, type Section } from './digest-blocks.ts';
import type { DigestWaiting } from './digest-waiting.ts';

/** Contents of a digest besides analytics; null: not watched, or not available. */
export interface DigestAudit {
  readonly reports: readonly ReadinessReport[] | null;
  /** By revision, descending; the oldest one is only compared with. */
  readonly changes: readonly ControlChange[] | null;
  /** Failed requests, one line each. */
  readonly remarks: readonly string[];
}

export const noAudit: DigestAudit = { reports: null, changes: null, remarks: [] };

/** Criteria changed in these days: compares the newest report of each branch with the clean one before them. */
export function readinessSection(
  reports: readonly ReadinessReport[] | null,
  days: DayRange,
  redact: Redact,
): Section | null {
  const found = (reports ?? []).filter(({ createdAt }) => isWithin(createdAt ?? null, days));
  if (reports === null || found.length === 0) return null;
  const newest = new Map(
    newestFirst(found)
      .toReversed()
      .map((report) => [readinessLine(report), report]),
  );
  const compared = [...newest.values()].flatMap((report): readonly ReadinessComparison[] => {
    const before = baselineOf(report, reports, Date.parse(days.startDate) - 1);
    return before === null ? [] : [compareReadiness(before, report, redact)];
  });
  const count = (wanted: Move): readonly NamedCount[] =>
    addUp(
      compared.map(({ repository, moves }) => ({
        name: repositoryKey(repository ?? ''),
        count: moves.filter(({ move }) => move === wanted).length,
      })),
    );
  const fell = count('regressed');
  const rose = count('improved');
  return {
    title: 'Readiness',
    blocks: [
      figures(
        figure('reports', found.length),
        figure(`${total(fell) === 1 ? 'criterion' : 'criteria'} that fell`, total(fell)),
        figure(`${total(rose) === 1 ? 'criterion' : 'criteria'} that rose`, total(rose)),
      ),
      bars('criteria that fell', fell, redact),
      bars('criteria that rose', rose, redact),
    ],
  };
}

/** Number of changes in these days, by setting; by user only if people are named. */
export function controlsSection(
  changes: readonly ControlChange[] | null,
  days: DayRange,
  { users: isNamed, redactor }: { readonly users: boolean; readonly redactor: Redactor },
): Section | null {
  if (changes === null) return null;
  const compared = changes.flatMap((change, index): readonly ControlComparison[] =>
    isWithin(Date.parse(change.updatedAt ?? ''), days)
      ? [compareControls(changes[index + 1] ?? null, change, redactor)]
      : [],
  );
  if (compared.length === 0) return null;
  const loosening = compared.filter((one) => one.changes.some(({ loosens }) => loosens !== null));
  const settings = compared.flatMap((one) => [
    ...new Set(one.changes.map(({ path }) => path.split(/[.[]/)[0] ?? '')),
  ]);
  const authors = compared.map(({ after }) => authorText(after.by));
  return {
    title: 'Enterprise controls',
    blocks: [
      figures(
        figure('changes', compared.length),
        figure('that loosened something', loosening.length),
      ),
      bars('by setting', once(settings), redactor.text),
      ...(isNamed ? [bars('by user', once(authors), redactor.text)] : []),
    ],
  };
}

function once(names: readonly string[]): readonly NamedCount[] {
  return addUp(names.map((name) => ({ name, count: 1 })));
}

function total(counts: readonly NamedCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** @param at Unix ms; the days are UTC */
function isWithin(at: number | null, { startDate, endDate }: DayRange): boolean {
  return at !== null && at >= Date.parse(startDate) && at < Date.parse(addDays(endDate, 1));
}

export interface DigestOptions {
  readonly every: 'day' | 'week';
  readonly users: boolean;
  /** Null: costs are omitted. */
  readonly rate: CreditRate | null;
  readonly own: UsageCounters | null;
  readonly waiting: DigestWaiting | null;
  readonly audit: DigestAudit;
  /** Redacts secrets in names of the service. */
  readonly redactor: Redactor;
}

import { DAY_MS } from '../days.ts';
import { randomFor } from '../random.ts';

export interface StoredReport {
  readonly reportId: string;
  readonly createdAt: number;
  readonly repoUrl: string;
  readonly apps: Record<string, { readonly description: string }>;
  readonly report: Record<string, Criterion>;
  readonly [field: string]: unknown;
}

interface Criterion {
  readonly numerator: number;
  readonly denominator: number;
  readonly rationale: string;
}

/** Repository ids, which only the filter knows: reports carry the URL. */
export const REPOSITORIES: ReadonlyMap<string, string> = new Map([
  ['repo_api', 'https://git.example.com/acme/api'],
  ['repo_web', 'https://git.example.com/acme/web.git'],
  ['repo_docs', 'git@git.example.com:acme/docs.git'],
]);

const EFFORTS = ['low', 'medium', 'high', 'off'];

/**
 * Nine reports in no order, three a repository. The newest one of the first repository lost a criterion though its
 * total rose, one of the second was made of a dirty tree, and the oldest one of the third is empty.
 */
export function createReports(seed: number, now: number): readonly StoredReport[] {
  const random = randomFor(seed, 'readiness');
  const reports = [...REPOSITORIES.values()].flatMap((repoUrl, repository) =>
    [0, 1, 2].map((age): StoredReport => {
      const isDirty = repository === 1 && age === 1;
      const isEmpty = repository === 2 && age === 2;
      const base = {
        reportId: random.uuid(),
        createdAt: now - (age * 7 + repository) * DAY_MS - random.integer(0, DAY_MS / 2),
        repoUrl,
        apps: isEmpty ? {} : { '.': { description: 'The root' }, 'apps/web': { description: '' } },
        report: isEmpty ? {} : criteria(repository === 0 && age === 0, age),
      };
      if (isEmpty) return base;
      return {
        ...base,
        commitHash: random.hex(40),
        branch: 'main',
        hasLocalChanges: isDirty,
        hasNonRemoteCommits: isDirty,
        modelUsed: { id: 'aurora-4', reasoningEffort: EFFORTS[(repository * 3 + age) % 4] },
        agentVersion: `0.${40 - age}.0`,
      };
    }),
  );
  return random.shuffle(reports);
}

function criteria(isRegression: boolean, age: number): Record<string, Criterion> {
  return {
    linter: criterion(isRegression ? 0 : 1, isRegression ? 'No linter is set up' : 'It is set up'),
    tests: criterion(isRegression ? 2 : 1, 'Tests run with one command'),
    readme: criterion(isRegression ? 2 : 1, 'It says how to build'),
    ...(age === 0 ? { codeowners: criterion(2, 'Every folder has an owner') } : {}),
  };
}

/** Of two sub-applications. */
function criterion(numerator: number, rationale: string): Criterion {
  return { numerator, denominator: 2, rationale };
}

/** One more report of the repository whose newest report is the newest of all, in which "tests" fails. */
export function addFallenReport(reports: StoredReport[], seed: number, now: number): void {
  const [last] = reports.toSorted((one, other) => other.createdAt - one.createdAt);
  if (last === undefined) return;
  const random = randomFor(seed, 'readiness', reports.length);
  reports.splice(random.integer(0, reports.length), 0, {
    ...last,
    reportId: random.uuid(),
    createdAt: now,
    report: { ...last.report, tests: criterion(0, 'No instructions say how to run them') },
    commitHash: random.hex(40),
    hasLocalChanges: false,
    hasNonRemoteCommits: false,
  });
}

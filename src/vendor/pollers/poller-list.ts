import type { Config } from '../../config/config.ts';
import type { CreatePoller, PollerJob, PollerParts } from './poller.ts';

/** A poller, loaded only if configured. */
export interface PollerEntry {
  readonly name: string;
  /** Display name, at the beginning of a sentence. */
  readonly title: string;
  isOn(config: Config): boolean;
  /** Null if not configured: then nothing of it is loaded. */
  create(config: Config, parts: PollerParts): Promise<PollerJob | null>;
}

/** All pollers. Each is one file in `src/vendor/pollers/` and one line here. */
export const pollerList: readonly PollerEntry[] = [
  entry(
    { name: 'budget', title: 'Budget check' },
    ({ budget }) => budget,
    async () => (await import('./budget-poller.ts')).budgetJob,
  ),
  entry(
    { name: 'digest', title: 'Digest' },
    ({ digest, budget, watch }) =>
      digest === null
        ? null
        : {
            digest,
            rate: budget?.rate ?? null,
            audit: { readiness: watch.readiness !== null, controls: watch.controls !== null },
          },
    async () => (await import('./digest-poller.ts')).digestJob,
  ),
  entry(
    { name: 'sessions', title: 'Session watch' },
    ({ watch }) => watch.sessions,
    async () => (await import('./sessions-poller.ts')).sessionsJob,
  ),
  entry(
    { name: 'computers', title: 'Computer watch' },
    ({ watch }) => watch.computers,
    async () => (await import('./computers-poller.ts')).computersJob,
  ),
  entry(
    { name: 'readiness', title: 'Readiness watch' },
    ({ watch }) => watch.readiness,
    async () => (await import('./readiness-poller.ts')).readinessJob,
  ),
  entry(
    { name: 'controls', title: 'Enterprise controls watch' },
    ({ watch }) => watch.controls,
    async () => (await import('./controls-poller.ts')).controlsJob,
  ),
];

function entry<Policy>(
  words: Pick<PollerEntry, 'name' | 'title'>,
  policyOf: (config: Config) => Policy | null,
  load: () => Promise<CreatePoller<Policy>>,
): PollerEntry {
  return {
    ...words,
    isOn: (config) => policyOf(config) !== null,
    async create(config, parts) {
      const policy = policyOf(config);
      return policy === null ? null : (await load())(policy, parts);
    },
  };
}

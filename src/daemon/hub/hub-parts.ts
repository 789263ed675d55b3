import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';

import { channelCatalog } from '../../channels/registry.ts';
import type { HubDesk } from '../../control/hub-routes.ts';
import type { AuditParty } from '../../core/hub/audit.ts';
import type { HubStore } from '../../core/hub/hub-store.ts';
import { POLICY, type PolicyAnswer, PolicyRequest } from '../../core/hub/machine-policy.ts';
import { ENROL } from '../../core/hub/machine-requests.ts';
import type { MetricFamily } from '../../core/metrics.ts';
import { codeHash, makeCode } from '../../hub/code.ts';
import type { Store } from '../../core/store.ts';
import type { Warnings } from '../../delivery/warnings.ts';
import { createConfigDrift } from '../../hub/config-drift.ts';
import { createHubDirectory, type HubDirectory } from '../../hub/directory.ts';
import { enrolRoute } from '../../hub/enrol-route.ts';
import { createHubHealth } from '../../hub/hub-health.ts';
import { hubEntrance } from '../../hub/hub-entrance.ts';
import { createHubPeople, type HubPeople } from '../../hub/hub-people.ts';
import { createKeySealing } from '../../hub/key-sealing.ts';
import { meRoutes } from '../../hub/me.ts';
import { seenRoutes } from '../../hub/seen.ts';
import type { Signal } from '../../platform/lifecycle.ts';
import { ownVersion } from '../../platform/program-files.ts';
import { type Clock, pause, systemTimer } from '../../platform/time.ts';
import { answerJson, type Entrance, type RelayRoutes, SMALL_BODY } from '../../relay/entrance.ts';
import { createHubAnswers, type HubAnswers, type HubAnswersOptions } from './hub-answers.ts';
import { createCounter } from '../metrics/counters.ts';

export interface HubParts {
  readonly directory: HubDirectory;
  /** For the administrators. */
  readonly desk: HubDesk;
  readonly answers: HubAnswers;
  readonly people: HubPeople;
  /** What machines may ask for; `events` are the routes of the relay. */
  entrance(events: RelayRoutes): Entrance;
  families(): Promise<readonly MetricFamily[]>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stopped before everything else: lets proxies turn to other processes. */
  readonly drain: { stop(): Promise<void> };
}

export interface HubPartsOptions extends Omit<HubAnswersOptions, 'store' | 'directory'> {
  /** Null without PostgreSQL. */
  readonly hubStore: HubStore | null;
  readonly store: Pick<Store, 'alerts' | 'mutes' | 'held'>;
  readonly newId: () => string;
  readonly now: Clock;
  readonly warnings: Pick<Warnings, 'list' | 'raise' | 'clear'>;
  /** Another process may have changed something. */
  readonly elsewhere: Pick<Signal, 'on'>;
}

/** What has expired is removed this often, ms. */
const TIDY_MS = 60_000;

/** The parts of a hub; null if this daemon is not one. */
export function createHubParts(options: HubPartsOptions): HubParts | null {
  const { config, hubStore: store, elsewhere, onAnswered: wake, now, log } = options;
  const { hub } = config();
  if (hub === null || store === null) return null;
  const settings = (): typeof hub => config().hub ?? hub;
  const policy = () => config().policy;
  const directory = createHubDirectory({ store, groups: () => settings().groups, log });
  const answers = createHubAnswers({ ...options, store: store.requests, directory });
  elsewhere.on(() => {
    directory.wake();
    answers.wake();
  });
  const ofMachines = {
    ...meRoutes({ ...options, hubStore: store, directory, policy, wake }),
    ...seenRoutes({ ...options, policy, wake }),
    ...policyRoute(directory, log),
  };
  const drift = createConfigDrift({
    store,
    raw: () => config().raw,
    warnings: options.warnings,
    host: hostname(),
    program: ownVersion(),
    log,
  });
  const sealing = createKeySealing({
    store,
    hasPrevious: () => settings().previousSecret !== null,
    warnings: options.warnings,
    now,
    log,
  });
  const health = createHubHealth(store);
  const enrolments = createCounter('hookbell_hub_enrolments_total');
  const requests = createCounter('hookbell_hub_requests_total');
  let tidying: NodeJS.Timeout | undefined;

  async function tidy(stored: HubStore): Promise<void> {
    try {
      await stored.forgetNonces();
      await stored.forgetEnrolments();
    } catch (error) {
      log.warn({ err: error }, 'Cannot remove what has expired: retrying');
    }
  }

  return {
    directory,
    people: createHubPeople({ directory, policy }),
    desk: {
      store,
      url: () => settings().url,
      expireAfterMs: () => settings().invitations.expireAfterMs,
      makeCode() {
        const code = makeCode(randomBytes);
        return { code, codeHash: codeHash(code) };
      },
      channelTypes: channelCatalog.types,
      warnings: () => [...sealing.notes(), ...options.warnings.list()],
      actor: administrator(),
    },
    answers,
    entrance: (events) =>
      hubEntrance({
        store,
        directory,
        routes: { ...events, ...answers.routes, ...ofMachines },
        openRoutes: {
          [`POST ${ENROL}`]: enrolRoute({
            store,
            count: (outcome) => enrolments.add({ outcome }),
            log,
          }),
          ...health.routes,
        },
        proxies: () => settings().behindProxy,
        count: (outcome) => requests.add({ outcome }),
        log,
      }),
    async families() {
      const state = await store.state();
      return [
        ...[
          { name: 'hookbell_hub_people', help: 'People of the hub', value: state.people },
          { name: 'hookbell_hub_machines', help: 'Enrolled machines', value: state.machines },
          {
            name: 'hookbell_hub_machines_heard',
            help: 'Machines that sent a request within the last five minutes',
            value: state.machinesHeard,
          },
          {
            name: 'hookbell_hub_processes',
            help: 'Processes connected to the database',
            value: state.processes,
          },
          {
            name: 'hookbell_hub_queue_age_seconds',
            help: 'Age of the oldest message that may be sent',
            value: state.dueSince === null ? 0 : Math.max(0, (now() - state.dueSince) / 1_000),
          },
        ].map(({ name, help, value }): MetricFamily => ({
          name,
          help,
          type: 'gauge',
          samples: [{ name, labels: {}, value }],
        })),
        {
          name: 'hookbell_hub_requests_total',
          help: 'Requests of machines since the daemon started, by outcome',
          type: 'counter',
          samples: requests.samples(),
        },
        {
          name: 'hookbell_hub_enrolments_total',
          help: 'Attempts to enrol a machine since the daemon started, by outcome',
          type: 'counter',
          samples: enrolments.samples(),
        },
      ];
    },
    async start() {
      await directory.start();
      answers.start();
      drift.start();
      sealing.start();
      tidying = setInterval(() => void tidy(store), TIDY_MS);
    },
    async stop() {
      clearInterval(tidying);
      await sealing.stop();
      await drift.stop();
      await answers.stop();
      await directory.stop();
    },
    drain: {
      async stop() {
        health.stopping();
        await pause(settings().drainMs, systemTimer);
      },
    },
  };
}

/** What the hub forbids the machine that asks. */
function policyRoute(
  { policy }: Pick<HubDirectory, 'policy'>,
  log: HubPartsOptions['log'],
): RelayRoutes {
  return {
    [`POST ${POLICY}`]: {
      mostBytes: SMALL_BODY,
      handle: ({ machine }, body) =>
        answerJson(body, PolicyRequest, {
          handle: () => {
            const answer: PolicyAnswer = { version: 1, policy: policy() };
            return Promise.resolve({ status: 200, body: answer });
          },
          onBusy: (err) => log.warn({ machine, err }, 'Cannot read the policy for machines'),
        }),
    },
  };
}

/** The user of this process, for the audit. */
export function administrator(): AuditParty {
  return { type: 'admin', name: `${userName()}@${hostname()}` };
}

/** In a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.geteuid?.() ?? 'unknown'}`;
  }
}

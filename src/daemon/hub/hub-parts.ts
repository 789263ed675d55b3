import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';

import { channelCatalog } from '../../channels/registry.ts';
import type { HubDesk } from '../../control/hub-routes.ts';
import type { AuditParty } from '../../core/hub/audit.ts';
import type { HubStore } from '../../core/hub/hub-store.ts';
import { POLICY, type PolicyAnswer, PolicyRequest } from '../../core/hub/machine-policy.ts';
import { ENROL } from '../../core/hub/machine-requests.ts';
import { codeHash, makeCode } from '../../hub/code.ts';
import type { Store } from '../../core/store.ts';
import type { Warnings } from '../../delivery/warnings.ts';
import { createConfigDrift } from '../../hub/config-drift.ts';
import { createHubDirectory, type HubDirectory } from '../../hub/directory.ts';
import { enrolRoute } from '../../hub/enrol-route.ts';
import { createHubHealth } from '../../hub/hub-health.ts';
import { hubEntrance } from '../../hub/hub-entrance.ts';
import { createHubPeople } from '../../hub/hub-people.ts';
import { createKeySealing } from '../../hub/key-sealing.ts';
import { meRoutes } from '../../hub/me.ts';
import { seenRoutes } from '../../hub/seen.ts';
import type { Signal } from '../../platform/lifecycle.ts';
import { ownVersion } from '../../platform/program-files.ts';
import { type Clock, pause, systemTimer } from '../../platform/time.ts';
import { answerJson, type RelayRoutes, SMALL_BODY } from '../../relay/entrance.ts';
import { createHubAnswers, type HubAnswersOptions } from './hub-answers.ts';
import { createCounter, gauge } from '../metrics/counters.ts';

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
export function createHubParts(options: HubPartsOptions) {
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
  const enrolments = createCounter(
    'hookbell_hub_enrolments_total',
    'Attempts to enrol a machine since the daemon started, by outcome',
  );
  const requests = createCounter(
    'hookbell_hub_requests_total',
    'Requests of machines since the daemon started, by outcome',
  );
  let tidying: NodeJS.Timeout | undefined;

  async function tidy(stored: HubStore): Promise<void> {
    try {
      await stored.forgetNonces();
      await stored.forgetEnrolments();
    } catch (error) {
      log.warn({ err: error }, 'Cannot remove what has expired: retrying');
    }
  }

  const desk: HubDesk = {
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
  };

  return {
    directory,
    people: createHubPeople({ directory, policy }),
    /** For the administrators. */
    desk,
    answers,
    /** What machines may ask for; `events` are the routes of the relay. */
    entrance: (events: RelayRoutes) =>
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
      const { people, machines, machinesHeard, processes, dueSince } = await store.state();
      const queueAge = dueSince === null ? 0 : Math.max(0, (now() - dueSince) / 1_000);
      return [
        gauge('hookbell_hub_people', 'People of the hub', [[{}, people]]),
        gauge('hookbell_hub_machines', 'Enrolled machines', [[{}, machines]]),
        gauge(
          'hookbell_hub_machines_heard',
          'Machines that sent a request within the last five minutes',
          [[{}, machinesHeard]],
        ),
        gauge('hookbell_hub_processes', 'Processes connected to the database', [[{}, processes]]),
        gauge('hookbell_hub_queue_age_seconds', 'Age of the oldest message that may be sent', [
          [{}, queueAge],
        ]),
        requests.family(),
        enrolments.family(),
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
    /** Stopped before everything else: lets proxies turn to other processes. */
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

import type { AlertStore } from '../core/alert.ts';
import { relayedKey } from '../core/hook-event.ts';
import { REPORT_SEEN, SeenRequest } from '../core/hub/machine-requests.ts';
import type { Policy } from '../core/policy.ts';
import type { Log } from '../platform/log.ts';
import type { Clock } from '../platform/time.ts';
import { answerJson, malformedAnswer, type RelayRoutes, SMALL_BODY } from '../relay/entrance.ts';

export interface SeenRoutesOptions {
  readonly store: { readonly alerts: Pick<AlertStore, 'acknowledge' | 'live' | 'liveOf'> };
  readonly policy: () => Pick<Policy, 'programChannels'>;
  readonly now: Clock;
  readonly log: Log;
  /** Shown alerts may be over. */
  readonly wake: () => void;
}

/**
 * A person acknowledged alerts at a machine of that person, so the hub does not escalate them. A machine names its own
 * sessions: their keys are completed with its name, which no other machine has.
 */
export function seenRoutes({ store, policy, now, log, wake }: SeenRoutesOptions): RelayRoutes {
  async function acknowledge(key: string, by: string): Promise<number> {
    const exceptChannels = policy().programChannels;
    const of = { sessionKey: key };
    return (await store.alerts.acknowledge({ of, by, now: now(), exceptChannels })).length;
  }

  /** Alerts that the person can have seen, because the report may be late. */
  async function openKeys(
    machine: string,
    { sessions, at = now() }: SeenRequest,
  ): Promise<readonly string[]> {
    const own = relayedKey(machine, '');
    const live =
      sessions === null
        ? await store.alerts.live()
        : await store.alerts.liveOf(sessions.map((key) => relayedKey(machine, key)));
    return live
      .filter(({ openedAt, sessionKey }) => openedAt <= at && sessionKey.startsWith(own))
      .map(({ sessionKey }) => sessionKey);
  }

  return {
    [`POST ${REPORT_SEEN}`]: {
      mostBytes: SMALL_BODY,
      handle: ({ machine, person }, body) =>
        answerJson(body, SeenRequest, {
          async handle(request) {
            if (person === null) return malformedAnswer;
            let count = 0;
            for (const key of await openKeys(machine, request)) {
              count += await acknowledge(key, `${person} at "${machine}"`);
            }
            if (count > 0) wake();
            return { status: 200, body: { count } };
          },
          onBusy: (err) => log.warn({ machine, err }, 'Cannot acknowledge alerts of a machine'),
        }),
    },
  };
}

import { z } from 'zod';

import { type Channel, type ChannelDependencies, defineChannel } from '../../core/channel.ts';
import { delivered, failed, type Outcome } from '../../core/outcome.ts';
import { parseJson } from '../../platform/json.ts';
import { requireProxy } from '../../platform/outbound/outbound-port.ts';
import {
  foreignAnswer,
  type JsonAnswer,
  type JsonRequest,
  requestJson,
} from '../support/json-request.ts';
import { alertOf, alertReference, alertEndOf, type PostedAlert } from './alert.ts';
import { alertmanagerOptions, type AlertmanagerTarget, readAlertmanager } from './options.ts';

const place = 'Alertmanager';

/** The part of Alertmanager's status that `check` shows. */
const serverStatus = z.object({
  versionInfo: z.object({ version: z.string().regex(/^[\w.+~-]{1,40}$/) }),
});

/**
 * Posts each notification as an alert of Prometheus Alertmanager, whose routes, silences and receivers then apply. Posting
 * the same alert again changes nothing, so no attempt can make a duplicate; when the request is answered, the alert ends.
 */
export default defineChannel({
  type: 'alertmanager',
  summary: 'Posts alerts to Prometheus Alertmanager, and resolves them when they are answered',
  audience: 'person',
  reach: 'far',
  recipient: 'Prometheus Alertmanager',
  can: { withdraw: true },
  options: alertmanagerOptions,
  questions: { url: { message: 'Alertmanager: address of the server' } },
  limits: { timeoutMs: 10_000, concurrency: 4, burst: 100, refillMs: 10, maxAttempts: 12 },
  create: async (options, dependencies) => {
    const target = await readAlertmanager(options, dependencies);
    requireProxy(dependencies.outbound, target.api);
    return createAlertmanager(target, dependencies, () => readAlertmanager(options, dependencies));
  },
});

function createAlertmanager(
  target: AlertmanagerTarget,
  { outbound, now }: ChannelDependencies,
  readAgain: () => Promise<AlertmanagerTarget>,
): Channel {
  const call = (
    path: string,
    { api, authorization }: AlertmanagerTarget,
    request: Pick<JsonRequest, 'method' | 'body' | 'signal'>,
  ): Promise<JsonAnswer> => {
    const headers = authorization === null ? {} : { authorization: authorization.reveal() };
    const to = { place, outbound, now, disabling: [403, 404] };
    return requestJson({ ...request, url: `${api}${path}`, headers }, to);
  };

  async function post(alert: PostedAlert, signal: AbortSignal): Promise<Outcome> {
    const { outcome, text } = await call('/alerts', target, {
      method: 'POST',
      body: [alert],
      signal,
    });
    // Its answer has no text.
    if (outcome.type === 'delivered' && text.trim() !== '') return foreignAnswer(place, text);
    return outcome;
  }

  return {
    async send(notification, { signal }) {
      const alert = alertOf(notification, target.labels);
      const outcome = await post(alert, signal);
      if (outcome.type !== 'delivered') return outcome;
      return delivered({ ref: referenceTo(alert) });
    },

    // Its labels identify an alert, and ending one that does not exist changes nothing.
    find: (notification) =>
      Promise.resolve(delivered({ ref: referenceTo(alertOf(notification, target.labels)) })),

    async withdraw(ref, { signal }) {
      const { data: sent } = alertReference.safeParse(parseJson(ref));
      if (sent === undefined) return failed('Cannot end the alert: the reference is damaged');
      return post(alertEndOf(sent, now()), signal);
    },

    async check(signal) {
      const again = await readAgain();
      const { outcome, text } = await call('/status', again, { method: 'GET', signal });
      if (outcome.type !== 'delivered') {
        return { ok: false, summary: outcome.reason.replace('deliver to', 'use') };
      }
      const { data } = serverStatus.safeParse(parseJson(text));
      if (data === undefined) {
        return { ok: false, summary: `"${again.hostname}" is not an ${place}` };
      }
      const { version } = data.versionInfo;
      return { ok: true, summary: `Posts to ${place} ${version} on ${again.hostname}` };
    },

    close: () => Promise.resolve(),
  };
}

function referenceTo({ labels, annotations, startsAt }: PostedAlert): string {
  return JSON.stringify({ labels, annotations, startsAt });
}

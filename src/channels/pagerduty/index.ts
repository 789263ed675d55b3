import { z } from 'zod';

import {
  type Channel,
  type ChannelDependencies,
  defineChannel,
  type SecretReference,
} from '../../core/channel.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { delivered, failed, type Outcome } from '../../core/outcome.ts';
import { ConfigError } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json.ts';
import { requireProxy } from '../../platform/outbound/outbound-port.ts';
import { Secret } from '../../text/secret.ts';
import { foreignAnswer, requestJson } from '../support/json-request.ts';
import { addressFault } from '../support/web-address.ts';
import { type Notification, originText } from '../../core/notification.ts';
import { sha256 } from '../../platform/crypto.ts';
import { cutText, displayLine, joinedLines } from '../../text/sanitize.ts';

const place = 'PagerDuty';

const pagerdutyOptions = z.strictObject({
  routing_key: secretReference.describe(
    'The integration key of an "Events API V2" integration, a secret: { env }, { file } or { command }',
  ),
  server: z
    .string()
    .default('https://events.pagerduty.com')
    .describe('Address of the Events API; https://events.eu.pagerduty.com for accounts in the EU')
    .superRefine((text, check) => {
      const fault = addressFault(text);
      if (fault !== null) check.addIssue({ code: 'custom', message: fault });
    }),
});

const accepted = z.object({ status: z.literal('success') });
const refusal = z.object({
  errors: z.array(z.string()).optional(),
  message: z.string().optional(),
});

/** The alert's id is the deduplication key, so no attempt and no later step of a plan can open a second incident. */
export default defineChannel({
  type: 'pagerduty',
  summary: 'Opens an incident in PagerDuty, acknowledged and resolved with the alert',
  audience: 'person',
  reach: 'far',
  recipient: 'PagerDuty',
  can: { withdraw: true, 'mark-acknowledged': true },
  options: pagerdutyOptions,
  questions: {
    routing_key: {
      message: 'PagerDuty: integration key of the service (kept in a file only you can read)',
    },
  },
  limits: { timeoutMs: 10_000, concurrency: 2, burst: 20, refillMs: 1_000, maxAttempts: 12 },
  create: async ({ routing_key: reference, server }, dependencies) => {
    const key = await readKey(reference, dependencies);
    const url = new URL('/v2/enqueue', server);
    requireProxy(dependencies.outbound, url);
    return createPagerDuty({ key, url }, dependencies, () => readKey(reference, dependencies));
  },
});

/** @throws ConfigError without the key */
async function readKey(
  reference: SecretReference,
  { name, resolveSecret }: Pick<ChannelDependencies, 'name' | 'resolveSecret'>,
): Promise<Secret> {
  const key = await resolveSecret(reference);
  if (/^[\w-]{32}$/.test(key)) return new Secret(key);
  throw new ConfigError(
    `Cannot use channel "${name}": "routing_key" is not an integration key of 32 characters`,
    { hint: 'Copy it from Services > your service > Integrations > Events API V2' },
  );
}

function createPagerDuty(
  { key, url }: { readonly key: Secret; readonly url: URL },
  { outbound, now }: ChannelDependencies,
  readAgain: () => Promise<Secret>,
): Channel {
  async function enqueue(event: PagerDutyEvent, signal: AbortSignal): Promise<Outcome> {
    const body = { routing_key: key.reveal(), ...event };
    const { outcome, text } = await requestJson(
      { method: 'POST', url: url.href, body, signal },
      { place, outbound, now, disabling: [403, 404] },
    );
    if (outcome.type === 'delivered') {
      const isOwn = accepted.safeParse(parseJson(text)).success;
      return isOwn ? outcome : foreignAnswer(place, text);
    }
    return outcome.type === 'failed' && refusesKey(text)
      ? failed(`${outcome.reason}: it refuses the routing key`, { channelBroken: true })
      : outcome;
  }

  async function change(
    action: 'acknowledge' | 'resolve',
    ref: string,
    signal: AbortSignal,
  ): Promise<Outcome> {
    return dedupKeyForm.test(ref)
      ? enqueue({ event_action: action, dedup_key: ref }, signal)
      : failed(`Cannot ${action} the incident: the reference is damaged`);
  }

  return {
    async send(notification, { signal }) {
      const event = triggerOf(notification);
      const outcome = await enqueue(event, signal);
      return outcome.type === 'delivered' ? delivered({ ref: event.dedup_key }) : outcome;
    },

    // PagerDuty ignores both for an incident that does not exist or is resolved.
    withdraw: (ref, { signal }) => change('resolve', ref, signal),
    markAcknowledged: (ref, _, { signal }) => change('acknowledge', ref, signal),
    find: (notification) => Promise.resolve(delivered({ ref: dedupKeyOf(notification) })),

    async check() {
      await readAgain();
      const way = outbound.isProxied(url) ? 'through the proxy' : 'directly';
      const summary = `Posts to ${url.hostname} ${way}; only a message tests the key`;
      return { ok: true, summary };
    },

    close: () => Promise.resolve(),
  };
}

/** PagerDuty refuses a key it does not know with a 400, like an event it cannot read. */
function refusesKey(text: string): boolean {
  const { data } = refusal.safeParse(parseJson(text));
  return [data?.message, ...(data?.errors ?? [])].some((one) => /routing[_ ]key/i.test(one ?? ''));
}

/** An event without its routing key. */
type PagerDutyEvent =
  | ReturnType<typeof triggerOf>
  | { readonly event_action: 'acknowledge' | 'resolve'; readonly dedup_key: string };

/** PagerDuty refuses more than 1,024; a push shows less. */
const SUMMARY_MAX = 500;
const FIELD_MAX = 200;
/** Ours: the whole event may have 512 KB. */
const TEXT_MAX = 20_000;

/** A key has at most 255 characters, none of them written by an agent. */
const dedupKeyForm = /^hookbell-[0-9a-f]{32}$/;

function dedupKeyOf({ alertId, deliveryId }: Notification): string {
  return `hookbell-${sha256(alertId ?? deliveryId).slice(0, 32)}`;
}

/** In the Common Event Format (https://developer.pagerduty.com/docs/send-alert-event). */
function triggerOf(notification: Notification) {
  const { title, body, origin, severity, project, sessionTitle, sessionId } = notification;
  const session = short(sessionTitle ?? sessionId ?? '');
  return {
    event_action: 'trigger',
    dedup_key: dedupKeyOf(notification),
    client: 'hookbell',
    payload: {
      // Read alone on a phone: what happened, where, and what is asked.
      summary: cutText(`${displayLine(title)} · ${joinedLines(body)}`, SUMMARY_MAX),
      source: short(originText(origin)),
      severity,
      timestamp: new Date(notification.at).toISOString(),
      ...(project !== null && { component: short(project) }),
      group: notification.agent,
      class: notification.kind,
      custom_details: { text: cutText(body, TEXT_MAX), ...(session !== '' && { session }) },
    },
  } as const;
}

function short(text: string): string {
  return cutText(displayLine(text), FIELD_MAX);
}

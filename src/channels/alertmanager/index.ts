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
import type { Notification } from '../../core/notification.ts';
import { sha256 } from '../../platform/crypto.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { ConfigError } from '../../platform/errors.ts';
import { Secret } from '../../text/secret.ts';
import { addressFault, serverFrom } from '../support/web-address.ts';

const ownLabels = [
  'alertname',
  'kind',
  'severity',
  'agent',
  'project',
  'user',
  'host',
  'session',
  'alert',
] as const;

/** https://prometheus.io/docs/concepts/data_model/#metric-names-and-labels */
const labelName = z
  .string()
  .regex(/^(?!__)[a-zA-Z_]\w*$/, 'is not the name of a label: letters, digits and "_"')
  .refine(
    (name) => !ownLabels.some((own) => own === name),
    `is a label that hookbell sets: ${ownLabels.join(', ')}`,
  );

const alertmanagerOptions = z
  .strictObject({
    url: z
      .string()
      .describe('Address of Alertmanager, such as https://alertmanager.example.com:9093'),
    allow_http: z
      .boolean()
      .default(false)
      .describe('Allow the address of another machine without TLS'),
    token: secretReference.optional().describe('Sent as a bearer token'),
    username: z.string().min(1).optional().describe('User name of basic authentication'),
    password: secretReference.optional().describe('Password of basic authentication'),
    labels: z
      .record(labelName, z.string().min(1).max(200))
      .default({})
      .describe('Additional labels for the routes of Alertmanager, such as { team: payments }'),
  })
  .superRefine(({ url, allow_http: allowHttp, token, username, password }, check) => {
    const refuse = (key: string, message: string): void =>
      check.addIssue({ code: 'custom', path: [key], message });
    const fault = addressFault(url, allowHttp);
    if (fault !== null) refuse('url', fault);
    else if (/[?#]/.test(url)) refuse('url', 'has a query or a fragment');
    if ((username === undefined) !== (password === undefined)) {
      refuse(username === undefined ? 'password' : 'username', 'needs both a name and a password');
    }
    if (token !== undefined && username !== undefined) {
      refuse('token', 'excludes "username": Alertmanager accepts only one of them');
    }
  });

type AlertmanagerOptions = z.output<typeof alertmanagerOptions>;
/** An Alertmanager, with all secrets read. */
type AlertmanagerTarget = Awaited<ReturnType<typeof readAlertmanager>>;

/** @throws ConfigError that says what is wrong without showing a secret */
async function readAlertmanager(
  { url, token, username, password, labels }: AlertmanagerOptions,
  { name, resolveSecret }: Pick<ChannelDependencies, 'name' | 'resolveSecret'>,
) {
  async function readAuthorization(): Promise<Secret | null> {
    if (token !== undefined) {
      const value = await resolveSecret(token);
      if (/^[\u0021-\u007e]+$/.test(value)) return new Secret(`Bearer ${value}`);
      throw new ConfigError(`Cannot use channel "${name}": "token" is not a token`);
    }
    if (username === undefined || password === undefined) return null;
    const login = `${username}:${await resolveSecret(password)}`;
    return new Secret(`Basic ${Buffer.from(login).toString('base64')}`);
  }

  const { server, hostname } = serverFrom(url);
  return { api: `${server}/api/v2`, hostname, authorization: await readAuthorization(), labels };
}

const place = 'Alertmanager';

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
    const request = { method: 'POST', body: [alert], signal } as const;
    const { outcome, text } = await call('/alerts', target, request);
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

/**
 * An alert as Alertmanager takes it (https://prometheus.io/docs/alerting/latest/clients/). Its labels identify it: one
 * with the same labels updates it, and it is over after `endsAt`.
 */
type PostedAlert = Readonly<z.output<typeof alertReference>> & { readonly endsAt: string };

const alertReference = z.object({
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
  startsAt: z.iso.datetime(),
});

/** Ours: Alertmanager has no limits, but its receivers show all of them. */
const LABEL_MAX = 128;
const SUMMARY_MAX = 300;
const DESCRIPTION_MAX = 4_000;

/** As `alerts.expire_after`, ms. Without it Alertmanager would end the alert after its `resolve_timeout`, 5 minutes. */
const ENDS_AFTER_MS = 12 * 3_600_000;
/** Lifetime of a message without an alert, which nothing else ends: the default of `resolve_timeout`. */
const MESSAGE_ENDS_AFTER_MS = 5 * 60_000;

/** Labels hold short facts, the same for each message about one request; texts, which may change, are annotations. */
function alertOf(
  notification: Notification,
  extraLabels: Readonly<Record<string, string>>,
): PostedAlert {
  const { alertId, at, title, body, origin, deliveryId } = notification;
  const facts: Readonly<Record<string, string | null>> = {
    alertname: 'Hookbell',
    kind: notification.kind,
    severity: notification.severity,
    agent: notification.agent,
    project: notification.project,
    user: origin.user,
    host: origin.host,
    session: notification.sessionId,
    alert: sha256(alertId ?? deliveryId).slice(0, 16),
  };
  const labels = Object.entries(facts).flatMap(([name, fact]) => {
    const value = cutText(displayLine(fact ?? ''), LABEL_MAX);
    return value === '' ? [] : [[name, value]];
  });
  const endsAfterMs = alertId === undefined ? MESSAGE_ENDS_AFTER_MS : ENDS_AFTER_MS;
  return {
    labels: { ...extraLabels, ...Object.fromEntries(labels) },
    annotations: {
      summary: cutText(title, SUMMARY_MAX).toWellFormed(),
      description: cutText(body, DESCRIPTION_MAX).toWellFormed(),
    },
    startsAt: new Date(at).toISOString(),
    endsAt: new Date(at + endsAfterMs).toISOString(),
  };
}

/** The end of an alert: never before its start, which Alertmanager refuses. */
function alertEndOf(sent: z.output<typeof alertReference>, now: number): PostedAlert {
  const end = Math.max(now, Date.parse(sent.startsAt));
  return { ...sent, endsAt: new Date(end).toISOString() };
}

import { z } from 'zod';

import {
  type Channel,
  type ChannelCheck,
  type ChannelDefinition,
  type ChannelDependencies,
  defineChannel,
  type SecretReference,
} from '../../core/channel.ts';
import type { Notification } from '../../core/notification.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { ConfigError } from '../../platform/errors.ts';
import { type Outbound, requireProxy } from '../../platform/outbound/outbound-port.ts';
import { Secret } from '../../text/secret.ts';
import { foreignAnswer, requestJson } from './json-request.ts';
import { addressFault } from './web-address.ts';

export interface WebhookForm {
  /** An address with its secret parts left out, for messages. */
  readonly example: string;
  /** The path of such an address: another one is that of another page of the service. */
  readonly path: RegExp;
}

function webhookFault(text: string, { path }: WebhookForm): string | null {
  const fault = addressFault(text);
  if (fault !== null) return fault;
  return path.test(new URL(text).pathname) ? null : 'is not that of an incoming webhook';
}

/** The option `webhook` of a channel; a literal address is checked before the channel is used. */
export function webhookOption(form: WebhookForm) {
  return secretReference
    .superRefine((reference, check) => {
      const fault = typeof reference === 'string' ? webhookFault(reference, form) : null;
      if (fault !== null) check.addIssue({ code: 'custom', message: fault });
    })
    .meta({
      secret: true,
      description: `Address of an incoming webhook, such as ${form.example}. It is a secret: { env }, { file } or { command }`,
    });
}

/** @throws ConfigError without the address, if it cannot be one */
export async function readWebhook(
  reference: SecretReference,
  { name, resolveSecret }: Pick<ChannelDependencies, 'name' | 'resolveSecret'>,
  form: WebhookForm,
): Promise<Secret> {
  const text = await resolveSecret(reference);
  const fault = webhookFault(text, form);
  if (fault === null) return new Secret(new URL(text).href);
  throw new ConfigError(`Cannot use channel "${name}": the address in "webhook" ${fault}`, {
    hint: `Use the address that the service shows for an incoming webhook: ${form.example}`,
  });
}

/** What `check` can find out about an address that only takes messages: it is read again, and no request is made. */
async function checkAddress(
  read: () => Promise<Secret>,
  outbound: Pick<Outbound, 'isProxied'>,
): Promise<ChannelCheck> {
  const url = new URL((await read()).reveal());
  const way = outbound.isProxied(url) ? 'through the proxy' : 'directly';
  return { ok: true, summary: `Posts to ${url.hostname} ${way}` };
}

export interface WebhookService {
  /** Its name as it stands in a sentence. */
  readonly place: string;
  readonly form: WebhookForm;
  /** The body of the request; within the service's limits. */
  readonly message: (notification: Notification) => unknown;
  /** Query parameters besides those of the address. */
  readonly query?: (notification: Notification) => Readonly<Record<string, string>>;
  /** Whether the text of a 2xx response is one of the service. */
  readonly accepts: (text: string) => boolean;
}

interface WebhookType extends Pick<ChannelDefinition, 'type' | 'summary' | 'can' | 'limits'> {
  /** Its name for people, unless it is that in a sentence. */
  readonly recipient?: string;
  readonly of?: string;
}

/** Defines a channel that posts to an incoming webhook, and can do nothing else. */
export function defineWebhookChannel(
  { recipient, of = 'incoming webhook', ...type }: WebhookType,
  service: WebhookService,
) {
  const message = `${service.place}: address of the ${of} (kept in a file only you can read)`;
  return defineChannel({
    ...type,
    audience: 'person',
    reach: 'far',
    recipient: recipient ?? service.place,
    options: z.strictObject({ webhook: webhookOption(service.form) }),
    questions: { webhook: { message } },
    create: ({ webhook }, dependencies) => createWebhookChannel(service, webhook, dependencies),
  });
}

async function createWebhookChannel(
  { place, form, message, query, accepts }: WebhookService,
  reference: SecretReference,
  dependencies: ChannelDependencies,
): Promise<Channel> {
  const { outbound, now } = dependencies;
  const read = (): Promise<Secret> => readWebhook(reference, dependencies, form);
  const address = await read();
  requireProxy(outbound, address.reveal());

  return {
    async send(notification, { signal }) {
      const url = new URL(address.reveal());
      for (const [name, value] of Object.entries(query?.(notification) ?? {})) {
        url.searchParams.set(name, value);
      }
      const request = {
        method: 'POST',
        url: url.href,
        body: message(notification),
        signal,
      } as const;
      const to = { place, outbound, now, disabling: [403, 404] };
      const { outcome, text } = await requestJson(request, to);
      return outcome.type === 'delivered' && !accepts(text) ? foreignAnswer(place, text) : outcome;
    },
    check: () => checkAddress(read, outbound),
    close: () => Promise.resolve(),
  };
}

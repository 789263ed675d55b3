import { z } from 'zod';

import ntfy from '../../../src/channels/ntfy/index.ts';
import type { Channel, ChannelDependencies } from '../../../src/core/channel.ts';
import { channelDependencies } from '../../support/channel-dependencies.ts';
import type { ReceivedRequest } from '../../support/http-endpoint.ts';
import { openHttpEndpoint } from '../../support/http-endpoint.ts';
import type { Arrival } from '../conformance.ts';
import { seededSecret } from '../conformance.ts';
import type { HttpStage } from '../http-conformance.ts';

/** Creates the channel as the daemon does from what a user wrote. */
export function createNtfy(
  options: Record<string, unknown>,
  dependencies: Partial<ChannelDependencies> = {},
): Promise<Channel> {
  return ntfy.create(ntfy.options.parse(options), channelDependencies(dependencies));
}

/** Limits of ntfy 2.27: https://docs.ntfy.sh/publish/ and the answers of the real server (real-ntfy.test.ts). */
const action = z.strictObject({
  action: z.literal('http'),
  label: z.string().min(1),
  url: z.url(),
  method: z.literal('POST'),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  clear: z.boolean(),
});
const published = z.strictObject({
  topic: z.string().regex(/^[-\w]{1,64}$/),
  title: z.string(),
  message: z.string().refine((text) => Buffer.byteLength(text) <= 4_096),
  priority: z.int().min(1).max(5),
  tags: z.array(z.string()),
  sequence_id: z.string().regex(/^[-\w]{1,64}$/),
  actions: z.array(action).max(3).optional(),
});

/** The message of a request, strictly within ntfy's limits. */
export function messageOf(request: ReceivedRequest | undefined): z.output<typeof published> {
  return published.parse(JSON.parse(request?.body ?? ''));
}

/** An ntfy channel and a fake server that accepts every message. */
export async function openNtfyStage(options: Record<string, unknown> = {}): Promise<HttpStage> {
  const endpoint = await openHttpEndpoint();
  endpoint.answer({ status: 200, body: '{"id":"m1","event":"message"}' });
  const channel = await createNtfy({
    server: endpoint.url,
    topic: `t-${seededSecret}`,
    token: seededSecret,
    ...options,
  });
  let taken = 0;
  return {
    channel,
    endpoint,
    arrivals: () => {
      const fresh = endpoint.requests.slice(taken).filter(({ method }) => method === 'POST');
      taken = endpoint.requests.length;
      return Promise.resolve(fresh.map((request) => arrivalOf(request)));
    },
    hang: () => {
      endpoint.answer('silence');
      return { reached: endpoint.nextRequest() };
    },
    break: () => {
      endpoint.answer({
        status: 403,
        body: `{"code":40301,"error":"forbidden: t-${seededSecret}"}`,
      });
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      await channel.close();
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

function arrivalOf(request: ReceivedRequest): Arrival {
  const message = messageOf(request);
  const { title, message: body, sequence_id: _, ...rest } = message;
  return { shown: `${title}\n${body}`, shape: `${request.path} ${JSON.stringify(rest)}` };
}

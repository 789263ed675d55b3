import slack from '../../../src/channels/slack/index.ts';
import type { Channel, ChannelDependencies } from '../../../src/core/channel.ts';
import { channelDependencies } from '../../support/channel-dependencies.ts';
import type { ReceivedRequest } from '../../support/http-endpoint.ts';
import { openHttpEndpoint } from '../../support/http-endpoint.ts';
import type { SlackMessage } from '../../support/slack-limits.ts';
import { activeMarkup, slackMessage, textsOf, unescapeSlack } from '../../support/slack-limits.ts';
import type { Arrival } from '../conformance.ts';
import { seededSecret } from '../conformance.ts';
import type { HttpStage } from '../http-conformance.ts';

/** Creates the channel as the daemon does from what a user wrote. */
export function createSlack(
  options: Record<string, unknown>,
  dependencies: Partial<ChannelDependencies> = {},
): Promise<Channel> {
  return slack.create(slack.options.parse(options), channelDependencies(dependencies));
}

/** A Slack channel and a fake Slack that refuses to record a message real Slack would refuse. */
export async function openSlackStage(options: Record<string, unknown> = {}): Promise<HttpStage> {
  const endpoint = await openHttpEndpoint();
  const channel = await createSlack({
    webhook: `${endpoint.url}/services/T0/B0/${seededSecret}`,
    allow_any_host: true,
    ...options,
  });
  let taken = 0;
  return {
    channel,
    endpoint,
    arrivals: () => {
      const fresh = endpoint.requests.slice(taken);
      taken = endpoint.requests.length;
      return Promise.resolve(fresh.map((request) => arrivalOf(messageOf(request))));
    },
    hang: () => {
      endpoint.answer('silence');
      return { reached: endpoint.nextRequest() };
    },
    break: () => {
      endpoint.answer({ status: 404, body: `no such hook: /services/T0/B0/${seededSecret}` });
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      await channel.close();
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

/** The message of a request, strictly within Slack's limits. */
export function messageOf(request: ReceivedRequest | undefined): SlackMessage {
  return slackMessage.parse(JSON.parse(request?.body ?? ''));
}

function arrivalOf(message: SlackMessage): Arrival {
  const texts = textsOf(message);
  const structure = JSON.stringify(message, (key, value: unknown) =>
    key === 'text' && typeof value === 'string' ? '' : value,
  );
  return {
    shown: texts.map(({ text }) => unescapeSlack(text)).join('\n'),
    shape: [structure, ...activeMarkup(message)].join('\n'),
  };
}

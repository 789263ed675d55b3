import telegram from '../../../src/channels/telegram/index.ts';
import type { Channel, ChannelDependencies } from '../../../src/core/channel.ts';
import { channelDependencies } from '../../support/channel-dependencies.ts';
import { openHttpEndpoint, type ReceivedRequest } from '../../support/http-endpoint.ts';
import { botMethods, shownEntities } from '../../support/telegram-limits.ts';
import { type Arrival, seededSecret } from '../conformance.ts';
import type { HttpStage } from '../http-conformance.ts';

/** Creates the channel as the daemon does from what a user wrote. */
export function createTelegram(
  options: Record<string, unknown>,
  dependencies: Partial<ChannelDependencies> = {},
): Promise<Channel> {
  return telegram.create(telegram.options.parse(options), channelDependencies(dependencies));
}

/** Serves every method of the Bot API that the channel uses without buttons. */
const accepted = {
  ok: true,
  result: { message_id: 7, text: 'shown', username: 'test_bot', type: 'private' },
};

/** A channel without buttons, so that nothing is polled, and an endpoint that accepts every message. */
export async function openTelegramStage(): Promise<HttpStage> {
  const endpoint = await openHttpEndpoint();
  endpoint.answer({ status: 200, body: JSON.stringify(accepted) });
  const channel = await createTelegram({
    server: endpoint.url,
    token: `12345:${seededSecret}`,
    chat: 42,
    buttons: false,
  });
  let taken = 0;
  return {
    channel,
    endpoint,
    arrivals: () => {
      const fresh = endpoint.requests
        .slice(taken)
        .filter(({ path }) => path.endsWith('/sendMessage'));
      taken = endpoint.requests.length;
      return Promise.resolve(fresh.map((request) => arrivalOf(request)));
    },
    hang: () => {
      endpoint.answer('silence');
      return { reached: endpoint.nextRequest() };
    },
    break: () => {
      const description = `Unauthorized: ${seededSecret}`;
      endpoint.answer({
        status: 401,
        body: JSON.stringify({ ok: false, error_code: 401, description }),
      });
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      await channel.close();
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

function arrivalOf({ body, path }: ReceivedRequest): Arrival {
  const message = botMethods.sendMessage.parse(JSON.parse(body));
  const { text, entities: _, ...rest } = message;
  return { shown: text, shape: `${path} ${shownEntities(message).join()} ${JSON.stringify(rest)}` };
}

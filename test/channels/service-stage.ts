import type { z } from 'zod';

import type { Channel, ChannelDefinition, ChannelDependencies } from '../../src/core/channel.ts';
import { channelDependencies } from '../support/channel-dependencies.ts';
import { openHttpEndpoint, type ReceivedRequest } from '../support/http-endpoint.ts';
import type { ScriptedAnswer } from '../support/scripted-answer.ts';
import type { Arrival } from './conformance.ts';
import type { HttpStage } from './http-conformance.ts';

/** A service that messages are posted to, played from its vendor's documentation. */
export interface FakeService {
  readonly definition: ChannelDefinition;
  /** The options of a channel that posts to it; `seededSecret` is in each secret. */
  options(url: string): Record<string, unknown>;
  /** Returns as the vendor does; a request that breaks a limit gets the vendor's refusal. */
  reply(request: ReceivedRequest): ScriptedAnswer;
  /** Of a message that it accepted; null: the request is not a message. */
  arrivalOf(request: ReceivedRequest): Arrival | null;
  /** The refusal after the address or the key was revoked, with the secret in it. */
  readonly revoked: ScriptedAnswer;
}

/** Creates the channel as the daemon does from what a user wrote. */
export function createChannel(
  definition: ChannelDefinition,
  options: Record<string, unknown>,
  dependencies: Partial<ChannelDependencies> = {},
): Promise<Channel> {
  const parsed: unknown = definition.options.parse(options);
  return definition.create(parsed, channelDependencies(dependencies));
}

/** A channel and the service it posts to, on the loopback. */
export async function openServiceStage(
  service: FakeService,
  more: Record<string, unknown> = {},
): Promise<HttpStage> {
  const endpoint = await openHttpEndpoint();
  endpoint.answer((request) => service.reply(request));
  const options = { ...service.options(endpoint.url), ...more };
  const channel = await createChannel(service.definition, options);
  let taken = 0;
  return {
    channel,
    endpoint,
    arrivals: () => {
      const fresh = endpoint.requests.slice(taken);
      taken = endpoint.requests.length;
      return Promise.resolve(fresh.flatMap((request) => service.arrivalOf(request) ?? []));
    },
    hang: () => {
      endpoint.answer('silence');
      return { reached: endpoint.nextRequest() };
    },
    break: () => {
      endpoint.answer(service.revoked);
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      await channel.close();
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

/** The document of a request, or what is wrong with it. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  request: ReceivedRequest | undefined,
): z.ZodSafeParseResult<z.output<Schema>> {
  return schema.safeParse(JSON.parse(request?.body ?? ''));
}

/** Each status of a hundred with a class, for `httpConformance`. */
export function everyStatus(hundred: number, outcome: string): Record<number, string> {
  const entries = Array.from({ length: 100 }, (_, index) => [hundred + index, outcome] as const);
  return Object.fromEntries(entries);
}

/** Undoes the escapes of `escapeChat`. */
export function unescapeChat(text: string): string {
  return text.replaceAll('\u2060', '').replace(/\\([!-/:-@[-`{-~])/g, '$1');
}

/** What a dialect of Markdown makes of a text: every mark that is not escaped. */
export function activeMarks(text: string): readonly string[] {
  return text.replace(/\\[!-/:-@[-`{-~]/g, '').match(/[`*_~|>#()[\]<@]/g) ?? [];
}

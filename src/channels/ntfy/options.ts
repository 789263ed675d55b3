import { z } from 'zod';

import type { ChannelDependencies } from '../../core/channel.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { ConfigError } from '../../platform/errors.ts';
import { Secret } from '../../text/secret.ts';
import { serverAddress, serverFrom } from '../support/web-address.ts';

export const DEFAULT_SERVER = 'https://ntfy.sh';

export const ntfyOptions = z.strictObject({
  topic: secretReference.describe(
    'The topic that the phone subscribes to. On a server without access control its name is the only protection, so it is a secret: { env }, { file } or { command }',
  ),
  server: serverAddress.default(DEFAULT_SERVER).describe('Address of the ntfy server'),
  token: secretReference
    .optional()
    .describe('Access token that can write to the topic and read the answer topic'),
  answer_topic: secretReference
    .optional()
    .describe(
      'A second topic, for the buttons in a notification: the phone publishes to it and hookbell reads it. Without it, notifications have no buttons',
    ),
  answer_token: secretReference
    .optional()
    .describe(
      'Access token that can only write to the answer topic. It is sent to the phone in each notification with buttons',
    ),
});

/** A server and its topics, with all secrets read. */
export type NtfyTarget = Awaited<ReturnType<typeof readNtfyTarget>>;

/** @throws ConfigError that says what is wrong without showing a secret */
export async function readNtfyTarget(
  { server, ...options }: z.output<typeof ntfyOptions>,
  { name, resolveSecret }: Pick<ChannelDependencies, 'name' | 'resolveSecret'>,
) {
  type Key = 'topic' | 'token' | 'answer_topic' | 'answer_token';
  const read = async (key: Key, form: RegExp, expected: string): Promise<Secret | null> => {
    const reference = options[key];
    if (reference === undefined) return null;
    const value = await resolveSecret(reference);
    if (form.test(value)) return new Secret(value);
    throw new ConfigError(`Cannot use channel "${name}": "${key}" is not ${expected}`);
  };
  // https://docs.ntfy.sh/publish/: a topic has 1 to 64 letters, digits, "_" and "-".
  const topicOf = (key: 'topic' | 'answer_topic'): Promise<Secret | null> =>
    read(key, /^[-\w]{1,64}$/, 'a topic: 1 to 64 letters, digits, "_" and "-"');
  const tokenOf = (key: 'token' | 'answer_token'): Promise<Secret | null> =>
    read(key, /^[\u0021-\u007e]+$/, 'a token, such as "tk_…"');

  const topic = await topicOf('topic');
  const answers = await topicOf('answer_topic');
  if (topic === null) throw new ConfigError(`Cannot use channel "${name}": "topic" is missing`);
  const refuse = (fault: string, hint: string): never => {
    throw new ConfigError(`Cannot use channel "${name}": ${fault}`, { hint });
  };
  if (answers?.reveal() === topic.reveal()) {
    const hint = 'Use another topic for the answers, so that the phone does not show them';
    refuse('"topic" and "answer_topic" are the same topic', hint);
  }
  const token = await tokenOf('token');
  const answerToken = await tokenOf('answer_token');
  if (token !== null && answerToken?.reveal() === token.reveal()) {
    refuse(
      '"token" and "answer_token" are the same token',
      'Everyone who reads the topic gets "answer_token": use one that can only write to the answer topic',
    );
  }
  return {
    ...serverFrom(server),
    topic,
    token,
    /** Where the buttons of a notification publish to; null: it has none. */
    answers: answers === null ? null : { topic: answers, token: answerToken },
  };
}

/** Headers of a request with a token; none without one. */
export function authorization(token: Secret | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token.reveal()}` };
}

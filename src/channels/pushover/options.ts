import { z } from 'zod';

import type { ChannelDependencies } from '../../core/channel.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { ConfigError } from '../../platform/errors.ts';
import { Secret } from '../../text/secret.ts';
import { serverAddress, serverFrom } from '../support/web-address.ts';

export const pushoverOptions = z.strictObject({
  token: secretReference.describe(
    'Token of your application at Pushover: { env }, { file } or { command }',
  ),
  user: secretReference.describe('Your user key, or the key of a group'),
  device: z
    .string()
    .regex(/^[-\w]{1,25}$/, 'is not the name of a device: up to 25 letters, digits, "_" and "-"')
    .optional()
    .describe('Name of the only device that receives messages (default: all)'),
  emergency: z
    .enum(['never', 'critical', 'always'])
    .default('never')
    .describe(
      'Which messages repeat until you acknowledge them: none, failures, or all that failed or wait for you',
    ),
  // https://pushover.net/api#priority: at least 30 s, and at most 3 hours.
  retry: z
    .int()
    .min(30, 'is less than 30, which Pushover refuses')
    .max(3_600)
    .default(60)
    .describe('Seconds between two repetitions of an emergency'),
  expire: z
    .int()
    .min(30)
    .max(10_800, 'is more than 10800 (3 hours), which Pushover refuses')
    .default(3_600)
    .describe('Seconds after which an emergency is no longer repeated'),
  server: serverAddress
    .default('https://api.pushover.net')
    .describe('Address of the Message API, for tests'),
});

/** An application and its reader, with the secrets read. */
export type PushoverTarget = Awaited<ReturnType<typeof readPushoverTarget>>;
export type PushoverOptions = z.output<typeof pushoverOptions>;

/** @throws ConfigError that says what is wrong without showing a secret */
export async function readPushoverTarget(
  options: PushoverOptions,
  { name, resolveSecret }: Pick<ChannelDependencies, 'name' | 'resolveSecret'>,
) {
  const read = async (key: 'token' | 'user'): Promise<Secret> => {
    const value = await resolveSecret(options[key]);
    // https://pushover.net/api#identifiers: 30 letters and digits.
    if (/^[A-Za-z0-9]{30}$/.test(value)) return new Secret(value);
    throw new ConfigError(`Cannot use channel "${name}": "${key}" is not 30 letters and digits`, {
      hint: 'Copy it from https://pushover.net: the user key is on the first page, the token on that of the application',
    });
  };
  return { ...serverFrom(options.server), token: await read('token'), user: await read('user') };
}

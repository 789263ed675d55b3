import { z } from 'zod';

import type { ChannelDependencies } from '../../core/channel.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { ConfigError } from '../../platform/errors.ts';
import { Secret } from '../../text/secret.ts';
import { serverAddress, serverFrom } from '../support/server-address.ts';

/** The options of the matrix channel as users write them. */
export const matrixOptions = z.strictObject({
  server: serverAddress.describe('Address of the homeserver, such as https://matrix.example.com'),
  token: secretReference.describe(
    'Access token of the sending account: { env }, { file } or { command }',
  ),
  // https://spec.matrix.org/latest/appendices/#room-ids: ids of newer rooms have no server name.
  room: z
    .string()
    .max(255)
    .regex(
      /^(![^\s:]+(:\S+)?|#[^\s:]+:\S+)$/,
      'is neither the id of a room, such as "!abc:example.com", nor an alias, such as "#agents:example.com"',
    )
    .describe('Id or alias of the room, which must not be encrypted'),
  threads: z.boolean().default(true).describe('Whether the messages of a session form a thread'),
  when_over: z
    .enum(['edit', 'delete'])
    .default('edit')
    .describe('How to handle a message whose request was answered elsewhere'),
});

export type MatrixOptions = z.output<typeof matrixOptions>;

/** An account on a homeserver, with its token read. */
export interface MatrixTarget {
  /** Address of the homeserver, without a final slash. */
  readonly server: string;
  /** Its host; fit to be shown. */
  readonly hostname: string;
  readonly token: Secret;
  /** Id or alias. */
  readonly room: string;
}

/** Reads the token. @throws ConfigError that says what is wrong without showing it */
export async function readMatrixTarget(
  { server, token, room }: MatrixOptions,
  { name, resolveSecret }: Pick<ChannelDependencies, 'name' | 'resolveSecret'>,
): Promise<MatrixTarget> {
  const value = await resolveSecret(token);
  if (!/^[\u0021-\u007e]+$/.test(value)) {
    throw new ConfigError(`Cannot use channel "${name}": "token" is not an access token`, {
      hint: 'Copy it from the settings of a Matrix client that is signed in as the sending account',
    });
  }
  return { ...serverFrom(server), token: new Secret(value), room };
}

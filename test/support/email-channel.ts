import email from '../../src/channels/email/index.ts';
import type { Channel } from '../../src/core/channel.ts';
import { channelDependencies } from './channel-dependencies.ts';

/** Login for servers that take any. */
export const login = { user: 'robot', password: 's3cret' };

/** An e-mail channel for a server on loopback, without TLS; closed at the end of an `await using` block. */
export async function openEmail(
  port: number,
  {
    to = ['a@x.test', 'b@x.test'],
    from,
    smtp = {},
    more = {},
  }: {
    readonly to?: readonly string[] | 'person';
    readonly from?: string;
    readonly smtp?: Readonly<Record<string, unknown>>;
    /** Further options. */
    readonly more?: Readonly<Record<string, unknown>>;
  } = {},
): Promise<Channel & AsyncDisposable> {
  const options = email.options.parse({
    to,
    from,
    ...more,
    smtp: { host: '127.0.0.1', port, starttls: 'never', ...smtp },
  });
  const channel = await email.create(options, channelDependencies({ name: 'mail' }));
  return { ...channel, [Symbol.asyncDispose]: () => channel.close() };
}

import type { ChannelDependencies, SendContext } from '../../src/core/channel.ts';
import { nearFiles } from '../../src/daemon/far-files/file-jobs.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';

/** What a channel under test is given; name only the fields the test is about. Secrets must be plain strings. */
export function channelDependencies(
  fields: Partial<ChannelDependencies> = {},
): ChannelDependencies {
  const env = fields.env ?? { PATH: process.env['PATH'] };
  return {
    name: 'under-test',
    env,
    outbound: createOutbound({ env }),
    platform: 'linux',
    now: () => 1_700_000_000_000,
    baseDir: '/nonexistent/config',
    stateDir: '/nonexistent/state',
    onReaction: () => undefined,
    onWorksAgain: () => undefined,
    isScreenLocked: () => Promise.resolve(null),
    takeVoice: () => Promise.resolve({ release: () => undefined }),
    files: nearFiles,
    resolveSecret: (reference) =>
      typeof reference === 'string'
        ? Promise.resolve(reference)
        : Promise.reject(new Error('This test gives no secrets but plain strings')),
    ...fields,
  };
}

/** The context of a first attempt without a deadline; name only the fields the test is about. */
export function sendContext(fields: Partial<SendContext> = {}): SendContext {
  return { signal: new AbortController().signal, carry: null, attempt: 1, ...fields };
}

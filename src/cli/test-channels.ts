import type { ChannelTestView } from '../control/contract.ts';
import { tookText } from '../text/duration.ts';
import type { CommandContext } from './context.ts';
import { readHookCall } from './hook-call.ts';
import type { Output } from './output.ts';
import { channelReason } from './print-event.ts';

/** Longer than the daemon's timeout for the slowest channel. */
const PATIENCE_MS = 660_000;

/** Lets the daemon send a test notification through these channels; through the desktop if none is named. */
export function testChannels(
  { ask }: Pick<CommandContext, 'ask'>,
  channels: readonly string[] | 'all',
): Promise<readonly ChannelTestView[]> {
  return ask('POST /v1/test', {
    body: {
      facts: readHookCall([]).facts,
      ...(channels === 'all' ? { all: true } : channels.length > 0 && { channels }),
    },
    timeoutMs: PATIENCE_MS,
  });
}

export function printTests(output: Output, tests: readonly ChannelTestView[]): void {
  output.table(
    ['CHANNEL', 'TYPE', 'OUTCOME', 'TOOK', 'REMARK'],
    tests.map(({ channel, type, outcome, durationMs, reason, clickAcknowledges }) => [
      channel,
      type,
      outcome,
      tookText(durationMs),
      reason === null
        ? clickAcknowledges
          ? 'a click acknowledges'
          : ''
        : channelReason(type, reason),
    ]),
  );
}

export function allDelivered(tests: readonly ChannelTestView[]): boolean {
  return tests.every(({ outcome }) => outcome === 'delivered');
}

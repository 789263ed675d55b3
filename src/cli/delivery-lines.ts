import type { ChannelStateView, EventView } from '../core/control.ts';
import { displayLine } from '../core/sanitize.ts';

export interface DeliveryLine {
  readonly arrived: boolean;
  /** For people: the channel, its state, the milliseconds from the hook, and the reason if there is one. */
  readonly text: string;
}

/** Where an event arrived, or why it did not (yet), or why nobody was told. */
export function deliveryLines(
  { at, deliveries, decisions }: EventView,
  channels: readonly ChannelStateView[],
): readonly DeliveryLine[] {
  if (deliveries.length === 0) {
    const reason = displayLine(decisions.at(-1)?.reason ?? 'no decision');
    return [{ arrived: false, text: `nobody was told: ${reason}` }];
  }
  return deliveries.map(({ channel, state, sentAt, reason: ownReason }) => {
    const reason =
      ownReason ??
      (state === 'pending' ? whyItWaits(channels.find(({ name }) => name === channel)) : null);
    const ms = sentAt === null ? null : Math.max(0, Date.parse(sentAt) - Date.parse(at));
    const time = ms === null ? '' : ` in ${ms} ms`;
    const why = reason === null ? '' : `: ${displayLine(reason)}`;
    return { arrived: state === 'sent', text: `${channel}: ${state}${time}${why}` };
  });
}

function whyItWaits(channel: ChannelStateView | undefined): string | null {
  switch (channel?.state) {
    case 'open':
      return `the channel is paused after failures: ${channel.lastReason ?? 'no reason given'}`;
    case 'limited':
      return 'the channel has to wait';
    case 'broken':
      return `the channel cannot be used: ${channel.lastReason ?? 'no reason given'}`;
    case 'ok':
    case undefined:
      return null;
  }
}

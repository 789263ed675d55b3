import type { ChannelStateView, EventView } from '../control/contract.ts';
import { cutText, displayLine } from '../text/sanitize.ts';

/** Fits on one terminal line after the name of a channel. */
const MOST_BRIEF = 72;

export interface DeliveryLine {
  readonly arrived: boolean;
  /** The same in a few words, where it did not arrive. */
  readonly brief: string;
  /** For people: the channel, its state, the milliseconds from the hook, and the reason if there is one. */
  readonly text: string;
}

/** Lists where an event was delivered, or why it is not (yet), or why no one was notified. */
export function deliveryLines(
  { at, deliveries, decisions }: EventView,
  channels: readonly ChannelStateView[],
): readonly DeliveryLine[] {
  if (deliveries.length === 0) {
    const reason = displayLine(decisions.at(-1)?.reason ?? 'no decision');
    const text = `not sent: ${reason}`;
    return [{ arrived: false, brief: text, text }];
  }
  return deliveries.map(({ channel, state, sentAt, reason: ownReason }) => {
    const waits =
      state === 'pending' ? whyItWaits(channels.find(({ name }) => name === channel)) : null;
    const reason = ownReason ?? waits?.reason ?? null;
    const ms = sentAt === null ? null : Math.max(0, Date.parse(sentAt) - Date.parse(at));
    const time = ms === null ? '' : ` in ${ms} ms`;
    const how = ownReason === null ? (waits?.how ?? '') : '';
    const why = reason === null ? '' : `: ${how}${displayLine(reason)}`;
    return {
      arrived: state === 'sent',
      brief: `${channel}: ${inBrief(reason ?? state)}`,
      text: `${channel}: ${state}${time}${why}`,
    };
  });
}

/** Returns the first of several reasons, without its remarks. */
function inBrief(reason: string): string {
  return cutText(displayLine(reason).split(/; | \(/)[0] ?? '', MOST_BRIEF);
}

function whyItWaits(
  channel: ChannelStateView | undefined,
): { readonly how: string; readonly reason: string } | null {
  switch (channel?.state) {
    case 'open':
      return {
        how: 'the channel is paused after failures: ',
        reason: channel.lastReason ?? 'no reason given',
      };
    case 'limited':
      return { how: '', reason: 'the channel has to wait' };
    case 'broken':
      return {
        how: 'the channel cannot be used: ',
        reason: channel.lastReason ?? 'no reason given',
      };
    case 'ok':
    case undefined:
      return null;
  }
}

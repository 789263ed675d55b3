import type { Channel, ChannelLimits } from '../core/channel.ts';
import type { Notification } from '../core/notification.ts';
import { failed } from '../core/outcome.ts';
import type { ClaimedDelivery } from '../core/outbox.ts';
import type { AttemptEnd } from './attempt.ts';
import { runAttempt } from './attempt.ts';
import type { StartTimer } from '../platform/time.ts';

/** A configured channel. */
export interface ConfiguredChannel {
  readonly channel: Channel;
  readonly limits: ChannelLimits;
}

export type Render = (claimed: ClaimedDelivery) => Notification | Promise<Notification>;

/** Prepares a delivery: immediately, or asynchronously without delaying other deliveries. Never rejects. */
export type Prepare = (claimed: ClaimedDelivery) => ClaimedDelivery | Promise<ClaimedDelivery>;

/** Renders a delivery and lets the channel send it, once. Never rejects. */
export async function send(
  claimed: ClaimedDelivery,
  { channel, limits }: ConfiguredChannel,
  {
    render,
    startTimer,
    shutdown,
  }: {
    readonly render: Render;
    readonly startTimer: StartTimer;
    readonly shutdown: AbortSignal;
  },
): Promise<AttemptEnd> {
  const { carry, attempts } = claimed.delivery;
  let renderError: unknown;
  const end = await runAttempt({
    send: async (signal) => {
      let notification: Notification;
      try {
        notification = await render(claimed);
      } catch (error) {
        renderError = error;
        // It would fail the same way each time.
        return failed('Cannot render the notification');
      }
      return channel.send(notification, { signal, carry, attempt: attempts + 1 });
    },
    timeoutMs: limits.timeoutMs,
    shutdown,
    startTimer,
  });
  return renderError === undefined ? end : { ...end, manner: 'unrendered', error: renderError };
}

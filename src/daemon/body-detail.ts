import type { BodyDetail } from '../config/channel-schema.ts';
import type { Channel } from '../core/channel.ts';
import type { Notification } from '../core/notification.ts';
import { cutText } from '../core/sanitize.ts';

const SUMMARY_LENGTH = 140;

/** A channel that is given only as much of the agent's text as its configuration allows. */
export function withBodyDetail(channel: Channel, detail: BodyDetail): Channel {
  if (detail === 'full') return channel;
  const update = channel.update?.bind(channel);
  const withdraw = channel.withdraw?.bind(channel);
  const hearAgain = channel.hearAgain?.bind(channel);
  return {
    abilities: channel.abilities,
    send: (notification, context) => channel.send(shorten(notification, detail), context),
    ...(update === undefined
      ? {}
      : {
          update: (ref, notification, context) =>
            update(ref, shorten(notification, detail), context),
        }),
    ...(withdraw === undefined ? {} : { withdraw }),
    // Nothing of the text is shown by that.
    ...(hearAgain === undefined ? {} : { hearAgain }),
    check: (signal) => channel.check(signal),
    close: () => channel.close(),
  };
}

function shorten(notification: Notification, detail: Exclude<BodyDetail, 'full'>): Notification {
  const firstLine = notification.body.split('\n')[0] ?? '';
  const body =
    detail === 'summary'
      ? cutText(firstLine, SUMMARY_LENGTH)
      : `hookbell explain ${notification.eventId.slice(0, 8)}`;
  return { ...notification, body };
}

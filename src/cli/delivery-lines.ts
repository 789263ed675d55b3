import type { EventView } from '../core/control.ts';
import { displayLine } from '../core/sanitize.ts';

export interface DeliveryLine {
  readonly arrived: boolean;
  /** For people: the channel, its state, the milliseconds from the hook, and the reason if there is one. */
  readonly text: string;
}

/** Where an event arrived, or why nobody was told. */
export function deliveryLines({ at, deliveries, decisions }: EventView): readonly DeliveryLine[] {
  if (deliveries.length === 0) {
    const reason = displayLine(decisions.at(-1)?.reason ?? 'no decision');
    return [{ arrived: false, text: `nobody was told: ${reason}` }];
  }
  return deliveries.map(({ channel, state, sentAt, reason }) => {
    const ms = sentAt === null ? null : Math.max(0, Date.parse(sentAt) - Date.parse(at));
    const time = ms === null ? '' : ` in ${ms} ms`;
    const why = reason === null ? '' : `: ${displayLine(reason)}`;
    return { arrived: state === 'sent', text: `${channel}: ${state}${time}${why}` };
  });
}

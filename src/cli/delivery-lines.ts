import type { EventView } from '../core/control.ts';
import { displayLine } from '../core/sanitize.ts';

/** For people: where an event arrived, and in how many milliseconds from the hook; or why nobody was told. */
export function deliveryLines({ at, deliveries, decisions }: EventView): readonly string[] {
  if (deliveries.length === 0) {
    return [`nobody was told: ${displayLine(decisions.at(-1)?.reason ?? 'no decision')}`];
  }
  return deliveries.map(({ channel, state, sentAt, reason }) => {
    const time =
      sentAt === null ? '' : ` in ${Math.max(0, Date.parse(sentAt) - Date.parse(at))} ms`;
    const why = reason === null ? '' : `: ${displayLine(reason)}`;
    return `${channel}: ${state}${time}${why}`;
  });
}

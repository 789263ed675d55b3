import { until } from '../../../support/hookbell-home.ts';
import type { Act } from './act.ts';

/** Its circuit opens, and what waits is sent when it is mended: nothing dies of an outage. */
export const deadChannel: Act = {
  name: 'a channel is dead until its circuit opens, and is mended (faults 34, 36)',
  async run(site) {
    const { place, web } = site;
    const isOpen = async (): Promise<boolean> => {
      const { channels } = await place.ask('GET /v1/status');
      return channels.some(({ name, state }) => name === 'web' && state === 'open');
    };
    web.behave('refuses', Number.POSITIVE_INFINITY);
    await site.during(() => until(isOpen, site.patienceMs));
    web.behave('well', 0);
    // It is tried again after half a minute.
    await until(async () => !(await isOpen()), site.patienceMs);
  },
};

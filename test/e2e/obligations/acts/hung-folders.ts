import { setTimeout as delay } from 'node:timers/promises';

import { until } from '../../../support/hookbell-home.ts';
import { mountOver, needsHanging } from '../../../support/hung-file-system.ts';
import type { Site } from '../site.ts';
import type { Act } from './act.ts';
import { someTime } from './act.ts';

/** As a network file system whose server is gone for a while (A2). The other places are in hung-paths.test.ts. */
export const hungFolders: Act = {
  name: 'the folder of a file channel stops answering, also while the daemon dies, and so does the state directory',
  impossible: needsHanging,
  async run(site) {
    await hangChannel(site);
    await hangState(site);
  },
};

async function hangChannel(site: Site): Promise<void> {
  await using folder = await mountOver(site.outFolder);
  await site.during(async () => {
    folder.hang();
    await until(() => saysThatItHangs(site), site.patienceMs);
    await site.kill();
    await site.start();
    folder.answer();
    await until(async () => !(await saysThatItHangs(site)), site.patienceMs);
  });
}

/** For less time than a hook has: its event is then as safe as any. */
async function hangState(site: Site): Promise<void> {
  await site.stop();
  {
    await using folder = await mountOver(site.place.paths.state);
    await site.start();
    await site.during(async () => {
      await delay(someTime(site, 100, 500));
      folder.hang();
      try {
        await delay(someTime(site, 500, 1_500));
      } finally {
        folder.answer();
      }
    });
    await site.stop();
  }
  await site.start();
}

async function saysThatItHangs({ place, outFolder }: Site): Promise<boolean> {
  const { warnings } = await place.ask('GET /v1/status');
  return warnings.some((text) => text.includes(outFolder) && text.includes('has not responded'));
}

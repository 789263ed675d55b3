import { readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { until } from '../../../support/hookbell-home.ts';
import { mountHanging, needsHanging } from '../../../support/hung-file-system.ts';
import type { Site } from '../site.ts';
import type { Act } from './act.ts';

/** What a full disk, an editor that does not save in one step, and a checkout of dotfiles do (A3, A11). */
export const lostConfiguration: Act = {
  name: 'the configuration is empty, missing, replaced, and behind a link to a place without notices (fault 47)',
  run: (site) =>
    site.during(async () => {
      const { config } = site.place.paths;
      const good = await readFile(config, 'utf8');
      try {
        for (const lose of [() => truncate(config, 0), () => rm(config)]) {
          await lose();
          await untilConfigIs(site, false);
          await site.place.writeConfig(good);
          await untilConfigIs(site, true);
        }
        const elsewhere = `${config}.elsewhere`;
        await write(elsewhere, good);
        await changeBehindLink(site, { link: elsewhere, file: elsewhere, good });
        if (needsHanging() === false) {
          // Changes below it, as on the server of a network file system, cause no notification.
          await using far = await mountHanging();
          const file = join(far.source, 'config.yaml');
          await write(file, good);
          await changeBehindLink(site, { link: join(far.path, 'config.yaml'), file, good });
          await replace(config, good);
          await untilConfigIs(site, true);
        }
      } finally {
        await replace(config, good);
      }
      await untilConfigIs(site, true);
    }),
};

async function changeBehindLink(
  site: Site,
  { link, file, good }: { readonly link: string; readonly file: string; readonly good: string },
): Promise<void> {
  const { config } = site.place.paths;
  await rm(config);
  await symlink(link, config);
  await untilConfigIs(site, true);
  await write(file, 'channels: [');
  await untilConfigIs(site, false);
  await write(file, good);
  await untilConfigIs(site, true);
}

/** In one step. */
async function replace(path: string, text: string): Promise<void> {
  await write(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

function write(path: string, text: string): Promise<void> {
  return writeFile(path, text, { mode: 0o600 });
}

/** Whether the file as it is can be taken; the daemon says it is not, and goes on with what it has. */
function untilConfigIs({ place, patienceMs }: Site, ok: boolean): Promise<void> {
  return until(async () => {
    const status = await place.ask('GET /v1/status').catch(() => null);
    return status?.config.ok === ok;
  }, patienceMs);
}

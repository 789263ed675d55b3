import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Mock } from './reference-service/reference-server.ts';
import { startMock } from './reference-service/reference-server.ts';
import type { FileChannelHome } from './file-channel-home.ts';
import { fileChannelHome } from './file-channel-home.ts';
import { until } from './hookbell-home.ts';

/** A home whose daemon watches something at a separate reference service, once a second. */
export interface WatchingHome extends FileChannelHome {
  /** Its time stands still until it is moved. */
  readonly service: Mock;
  /** Starts the daemon and waits until its source has seen what there is. */
  watch(): Promise<void>;
  /** Waits for `count` more looks of the source, the current one included. */
  looks(count: number): Promise<void>;
  /** Fails where a key of the service is in an output or a file of the state. */
  holdsNoKey(): Promise<void>;
}

export interface Watching {
  /** The section of the configuration, such as "computers". */
  readonly section: string;
  /** What it holds besides the pace, in YAML. */
  readonly more?: string;
  /** Path of the list it looks at. */
  readonly path: string;
}

export async function watchingHome({ section, more = '', path }: Watching): Promise<WatchingHome> {
  const service = await startMock({ now: Date.now() });
  const place = await fileChannelHome();
  const config = await readFile(place.paths.config, 'utf8');
  await place.writeConfig(`${config}
api: { base_url: "${service.baseUrl}", app_url: "${service.appUrl}", key: { env: AGENT_KEY } }
watch: { ${section}: { every: 1s, slow_down_to: 1s${more === '' ? '' : `, ${more}`} } }
`);
  place.env['AGENT_KEY'] = service.keys.owner;
  const memory = join(place.paths.state, 'sources', `${section}.json`);
  const asked = (): number => service.requests().filter(({ pathname }) => pathname === path).length;

  async function looks(count: number): Promise<void> {
    const before = asked();
    // One more has been asked for by the time those before it are over.
    await until(() => asked() > before + count);
  }

  return {
    ...place,
    service,
    looks,
    async watch() {
      await place.start();
      await until(() => existsSync(memory));
      await looks(0);
    },
    async holdsNoKey() {
      const names = await readdir(place.paths.state, { recursive: true, withFileTypes: true });
      const texts: string[] = [];
      for (const entry of names.filter((one) => one.isFile())) {
        // A file of the spool may be taken meanwhile.
        texts.push(await readFile(join(entry.parentPath, entry.name), 'latin1').catch(() => ''));
      }
      for (const words of [
        ['history', '--json'],
        ['status', '--json'],
        ['explain', 'last'],
      ]) {
        const { stdout, stderr } = await place.cli(...words);
        texts.push(stdout, stderr);
      }
      texts.push(JSON.stringify(await place.lines()));
      assert.ok(texts.length > 6);
      for (const text of texts) assert.ok(!text.includes(service.keys.owner));
    },
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await service.close();
    },
  };
}

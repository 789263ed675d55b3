import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { RELAY_TOKEN_FILE } from '../../src/config/endpoint-schema.ts';
import { sha256 } from '../../src/platform/crypto.ts';
import { makeToken, readToken } from '../../src/relay/token.ts';
import { openServerStore } from '../../src/store/postgres/open-server-store.ts';
import { type Line, readLines } from './file-channel-home.ts';
import { freePort } from './free-port.ts';
import { hookbellHome, type HookbellHome } from './hookbell-home.ts';
import { sampleInvitation } from './hub-store.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Processes of a hub with a real PostgreSQL, and machines that relay to them. */
export interface HubHomes extends AsyncDisposable {
  readonly postgres: Postgres;
  /** Not started yet. */
  readonly hubs: readonly HookbellHome[];
  /** From the machines to the hubs, each connection to the next one. */
  readonly way: TcpProxy;
  /** From the hubs to the database. */
  readonly databaseWay: TcpProxy;
  /** A machine of a person; its daemon runs. */
  machine(name: string, email: string, team?: string): Promise<HookbellHome>;
  /** What the hubs have sent to their file channel. */
  lines(): Promise<readonly Line[]>;
}

export interface HubHomesOptions {
  readonly count?: number;
  /** More lines of the configuration of each hub; below the section `hub` if they are indented. */
  readonly config?: string | ((index: number) => string);
  /** More channels, as lines of a block. */
  readonly channels?: string;
  /** Lines of postgresql.conf. */
  readonly settings?: readonly string[];
  /** The hubs reach the database itself, without `databaseWay`, which takes time of this process for each statement. */
  readonly isDirect?: boolean;
}

export async function hubHomes({
  count = 2,
  config = '',
  channels = '',
  settings = [],
  isDirect = false,
}: HubHomesOptions = {}): Promise<HubHomes> {
  const held: AsyncDisposable[] = [];
  const keep = <Thing extends AsyncDisposable>(thing: Thing): Thing => {
    held.push(thing);
    return thing;
  };
  const databasePort = await freePort();
  const postgres = keep(
    await startPostgres(["listen_addresses = '127.0.0.1'", `port = ${databasePort}`, ...settings]),
  );
  const databaseWay = keep(await startTcpProxy(databasePort));
  const shared = keep(await temporaryDirectory());
  const out = join(shared.path, 'out.jsonl');
  const ports: number[] = [];
  for (let index = 0; index < count; index += 1) ports.push(await freePort());
  const way = keep(await startTcpProxy(ports[0] ?? 0));
  way.leadTo(...ports);
  const hubs: HookbellHome[] = [];
  for (const [index, port] of ports.entries()) {
    const place = keep(await hookbellHome({ folder: `hub-${index}` }));
    const url = join(place.home, 'database-url');
    const databaseAt = isDirect ? databasePort : databaseWay.port;
    const address = `postgres://hookbell@127.0.0.1:${databaseAt}/hookbell`;
    await writeFile(url, `${address}\n`, { mode: 0o600 });
    await place.writeConfig(`store: { postgres: { url: { file: ${url} } } }
listen: { host: 127.0.0.1, port: ${port} }
channels:
  out: { type: file, path: ${out} }
${channels}
routes: [{ match: {}, notify: [out] }]
hub:
  url: http://127.0.0.1:${way.port}
${typeof config === 'string' ? config : config(index)}
`);
    hubs.push(place);
  }

  async function enrol(name: string, email: string, team: string | null): Promise<string> {
    const token = makeToken(name, randomBytes(32));
    const codeHash = sha256(token);
    const { store, hub } = await openServerStore({ url: postgres.url });
    try {
      await hub.invite(sampleInvitation({ email, team, codeHash }));
      const key = readToken(token)?.key ?? '';
      const enrolled = await hub.enrol({ codeHash, machine: name, key });
      if (enrolled.type !== 'enrolled') throw new Error(`Not enrolled: ${enrolled.type}`);
      return token;
    } finally {
      await store.close();
    }
  }

  return {
    postgres,
    hubs,
    way,
    databaseWay,
    async machine(name, email, team) {
      const token = await enrol(name, email, team ?? null);
      const place = keep(await hookbellHome({ folder: name }));
      await place.writeConfig(`relay: { to: "http://127.0.0.1:${way.port}" }\n`);
      const file = join(place.paths.config, '..', RELAY_TOKEN_FILE);
      await writeFile(file, `${token}\n`, { mode: 0o600 });
      await place.start();
      return place;
    },
    lines: () => readLines(out),
    async [Symbol.asyncDispose]() {
      for (const thing of held.toReversed()) await thing[Symbol.asyncDispose]();
    },
  };
}

/** Starts a process of a hub whose wall clock is wrong by `ms`. */
export async function startWithClock(
  place: HookbellHome,
  ms: number,
  program: string,
): Promise<ChildProcess> {
  const file = join(place.home, 'clock');
  await writeFile(file, String(ms));
  place.env['HOOKBELL_TEST_CLOCK'] = file;
  return place.start(['--import', program]);
}

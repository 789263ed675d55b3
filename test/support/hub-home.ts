import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { makeToken, readToken } from '../../src/relay/token.ts';
import { sha256 } from '../../src/platform/crypto.ts';
import { openServerStore } from '../../src/store/postgres/open-server-store.ts';
import { freePort } from './free-port.ts';
import { type HookbellHome, hookbellHome } from './hookbell-home.ts';
import { type Postgres, startPostgres } from './postgres.ts';

/** A hub of one process on a real PostgreSQL, and the machines of its people. */
export interface HubHome extends AsyncDisposable {
  readonly hub: HookbellHome;
  readonly postgres: Postgres;
  /** Enrols the machine of a person, and starts its daemon, which relays everything to the hub. */
  join(person: string, machine: string, team?: string): Promise<HookbellHome>;
}

/**
 * @param config of the hub besides the sections `hub`, `store` and `listen`
 * @param more further lines of the section `hub`
 */
export async function hubHome(config: string, more = ''): Promise<HubHome> {
  const postgres = await startPostgres();
  const hub = await hookbellHome({ folder: 'hub' });
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const url = join(hub.home, 'database-url');
  await writeFile(url, `${postgres.url}\n`, { mode: 0o600 });
  await hub.writeConfig(`store: { postgres: { url: { file: ${url} } } }
listen: { port: ${port} }
hub:
  url: ${address}
${more}
${config}
`);
  await hub.start();
  const opened = await openServerStore({ url: postgres.url });
  const machines: HookbellHome[] = [];
  let codes = 0;

  return {
    hub,
    postgres,
    async join(person, machine, team) {
      const token = makeToken(machine, randomBytes(32));
      const codeHash = sha256(`code ${(codes += 1)}`);
      const actor = { type: 'admin', name: 'root' } as const;
      const invitation = { name: null, team: team ?? null, expireAfterMs: 60_000, actor };
      await opened.hub.invite({ email: person, codeHash, ...invitation });
      const key = readToken(token)?.key ?? '';
      const { type } = await opened.hub.enrol({ codeHash, machine, key });
      if (type !== 'enrolled') throw new Error(`Not enrolled: ${type}`);
      const place = await hookbellHome({ folder: machine });
      machines.push(place);
      await place.writeConfig(`relay: { to: "${address}" }\n`);
      await writeFile(join(place.paths.config, '..', 'relay-token'), token, { mode: 0o600 });
      await place.start();
      return place;
    },
    async [Symbol.asyncDispose]() {
      for (const place of machines) await place[Symbol.asyncDispose]();
      await opened.store.close();
      await hub[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
    },
  };
}

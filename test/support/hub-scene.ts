import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { createLink } from '../../src/relay/link.ts';
import { makeToken, readToken } from '../../src/relay/token.ts';
import { type FakeSlack, fakeTokens, startFakeSlack } from './fake-slack.ts';
import { freePort } from './free-port.ts';
import { type HookbellHome, hookbellHome, until } from './hookbell-home.ts';
import { type Postgres, startPostgres } from './postgres.ts';

/** Two processes of one hub on a real PostgreSQL, with a Slack app for both. */
export interface HubPair extends AsyncDisposable {
  readonly postgres: Postgres;
  readonly slack: FakeSlack;
  /** Both run. */
  readonly hubs: readonly [HookbellHome, HookbellHome];
  readonly ports: readonly [number, number];
  /** A machine of a person, enrolled; its daemon does not run yet. */
  machine(name: string, person: string, to?: string): Promise<HookbellHome>;
  /** A token with which a machine signs. */
  enrol(name: string, person: string): Promise<string>;
}

/**
 * @param hub lines of the section `hub`, of each process
 * @param isPersonal whether requests also notify the owner of the machine, by a direct message of Slack
 */
export async function hubPair(
  hub: string | (() => Promise<string>) = '',
  { isPersonal = false }: { readonly isPersonal?: boolean } = {},
): Promise<HubPair> {
  const parts: AsyncDisposable[] = [];
  function use<Part extends AsyncDisposable>(part: Part): Part {
    parts.push(part);
    return part;
  }
  const postgres = use(await startPostgres());
  const slack = use(await startFakeSlack());
  const ports = [await freePort(), await freePort()] as const;
  async function startHub(port: number): Promise<HookbellHome> {
    const place = use(await hookbellHome());
    const url = join(place.home, 'database-url');
    await writeFile(url, `${postgres.url}\n`, { mode: 0o600 });
    await place.writeConfig(`store: { postgres: { url: { file: ${url} } } }
hub:
  url: http://127.0.0.1:${port}
${typeof hub === 'string' ? hub : await hub()}
listen: { host: 127.0.0.1, port: ${port} }
channels:
  team:
    type: slack
    server: ${slack.server}
    bot_token: { env: SLACK_BOT_TOKEN }
    app_token: { env: SLACK_APP_TOKEN }
    to: C0TEAM
    members: ['T0FAKE:U0ADA', 'T0FAKE:U0BOB', 'T0FAKE:U0EVE']
    rate: { burst: 1000, every: 1ms }
${isPersonal ? `  dm: { type: slack, server: ${slack.server}, bot_token: { env: SLACK_BOT_TOKEN }, to: 'dm:@person', rate: { burst: 1000, every: 1ms } }` : ''}
routes: [{ match: { kind: needs.permission }, notify: [team${isPersonal ? ', dm' : ''}] }]
alerts: { settle: 0 }
noise: { burst: { at_once: 100, window: 1s } }
`);
    place.env['SLACK_BOT_TOKEN'] = fakeTokens.bot;
    place.env['SLACK_APP_TOKEN'] = fakeTokens.app;
    await place.start();
    return place;
  }
  const hubs = [await startHub(ports[0]), await startHub(ports[1])] as const;
  await until(() => slack.connections() === 2);

  async function enrol(name: string, person: string): Promise<string> {
    const token = makeToken(name, randomBytes(32));
    const key = readToken(token)?.key ?? '';
    await postgres.run(
      `INSERT INTO people (email, name, source, added_at) VALUES ('${person}', NULL, 'test', 0) ON CONFLICT DO NOTHING`,
    );
    await postgres.run(
      `INSERT INTO machines (name, person, key, enrolled_at) VALUES ('${name}', '${person}', '${key}', 0)`,
    );
    for (const port of ports) await until(() => isKnown(token, port));
    return token;
  }

  return {
    postgres,
    slack,
    hubs,
    ports,
    enrol,
    async machine(name, person, to = `http://127.0.0.1:${ports[0]}`) {
      const token = await enrol(name, person);
      const place = use(await hookbellHome({ folder: name }));
      const file = join(place.home, 'relay-token');
      await writeFile(file, `${token}\n`, { mode: 0o600 });
      await place.writeConfig(`relay: { to: "${to}", token: { file: ${file} } }\nroutes: []\n`);
      return place;
    },
    async [Symbol.asyncDispose]() {
      for (const part of parts.toReversed()) await part[Symbol.asyncDispose]();
    },
  };
}

/** Whether the process at this port knows the machine already. */
async function isKnown(text: string, port: number): Promise<boolean> {
  const token = readToken(text);
  if (token === null) return false;
  const link = createLink({
    address: { type: 'url', secure: false, host: '127.0.0.1', port },
    certificate: null,
    token,
    outbound: createOutbound({ env: {} }),
    now: Date.now,
  });
  const { type } = await link.greet(AbortSignal.timeout(5_000));
  link.close();
  return type === 'ok';
}

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod';

import { freePort } from './free-port.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Synapse of Debian sid, unpacked by ".ci/run". */
export const SYNAPSE = 'synapse-sid';
const READY_MS = 60_000;

const event = z.object({
  type: z.string(),
  event_id: z.string(),
  content: z.object({
    msgtype: z.string().optional(),
    body: z.string().optional(),
    'm.new_content': z.object({ body: z.string() }).optional(),
    'm.relates_to': z
      .object({ rel_type: z.string().optional(), event_id: z.string().optional() })
      .optional(),
  }),
});
export type SynapseEvent = z.output<typeof event>;

/** A real homeserver on the loopback, with one account for hookbell. */
export interface SynapseServer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Makes a room of the account, with an alias of this name. */
  room(alias: string, isEncrypted?: boolean): Promise<string>;
  /** The messages of a room, oldest first; redacted ones have no body. */
  messages(room: string): Promise<readonly SynapseEvent[]>;
}

export async function startSynapse(): Promise<SynapseServer> {
  const directory = await temporaryDirectory();
  const { path } = directory;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(path, 'homeserver.yaml');
  // The port of a metrics manhole or of federation is never opened: only clients are listed.
  await writeFile(
    config,
    `server_name: example.test
pid_file: ${path}/pid
report_stats: false
suppress_key_server_warning: true
trusted_key_servers: []
signing_key_path: ${path}/signing.key
media_store_path: ${path}/media
database: { name: sqlite3, args: { database: ${path}/homeserver.db } }
enable_registration: true
enable_registration_without_verification: true
macaroon_secret_key: for-tests
form_secret: for-tests
rc_message: { per_second: 1000, burst_count: 1000 }
listeners:
  - { port: ${port}, type: http, bind_addresses: [127.0.0.1], resources: [{ names: [client] }] }
`,
  );
  const keys = spawn(SYNAPSE, ['-c', config, '--generate-keys'], { stdio: 'ignore', cwd: path });
  await once(keys, 'exit');
  const server = spawn(SYNAPSE, ['-c', config], { stdio: 'ignore', cwd: path });
  const ended = once(server, 'exit');

  async function ask(
    method: string,
    route: string,
    { body, token }: { body?: object; token?: string } = {},
  ): Promise<unknown> {
    const response = await fetch(`${url}/_matrix/client/${route}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return response.json();
  }

  const giveUpAt = performance.now() + READY_MS;
  const isReady = (): Promise<boolean> =>
    ask('GET', 'versions').then(
      () => true,
      () => false,
    );
  while (!(await isReady())) {
    if (performance.now() > giveUpAt) throw new Error(`Synapse did not start in ${READY_MS} ms`);
    await delay(100);
  }
  const auth = { type: 'm.login.dummy' };
  const account = { auth, username: 'hookbell', password: randomUUID() };
  const registered = await ask('POST', 'v3/register', { body: account });
  const { access_token: token } = z.object({ access_token: z.string() }).parse(registered);

  return {
    url,
    token,
    async room(alias, isEncrypted = false) {
      const encryption = {
        type: 'm.room.encryption',
        content: { algorithm: 'm.megolm.v1.aes-sha2' },
      };
      const body = {
        room_alias_name: alias,
        ...(isEncrypted && { initial_state: [{ ...encryption, state_key: '' }] }),
      };
      const made = await ask('POST', 'v3/createRoom', { body, token });
      return z.object({ room_id: z.string() }).parse(made).room_id;
    },
    async messages(room) {
      const route = `v3/rooms/${encodeURIComponent(room)}/messages?dir=f&limit=100`;
      const { chunk } = z
        .object({ chunk: z.array(event) })
        .parse(await ask('GET', route, { token }));
      return chunk.filter(({ type }) => type === 'm.room.message');
    },
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

import { PROXY_SECRET_HEADER } from '../../../src/page/team-page.ts';
import { permissionRequest } from '../../support/asking-hook.ts';
import { freePort } from '../../support/free-port.ts';
import { type HookbellHome, until } from '../../support/hookbell-home.ts';
import { hubPair } from '../../support/hub-scene.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const SECRET = 'a secret of the proxy';

/** As the proxy asks for a person who is signed in. */
async function pageFor(hub: HookbellHome, headers: Readonly<Record<string, string>>) {
  const { endpoints } = await hub.ask('GET /v1/status');
  const origin = endpoints.find(({ name }) => name === 'hub.page')?.origin;
  assert.ok(origin, JSON.stringify(endpoints));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${origin}/`, { headers }, resolve).on('error', reject);
  });
  return { status: answer.statusCode, text: await text(answer) };
}

test(
  'the page of each process shows people their own sessions, of their team a number, and a stranger nothing',
  { skip: needsPostgres() },
  async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'page-secret');
    await writeFile(file, `${SECRET}\n`, { mode: 0o600 });
    await using pair = await hubPair(
      async () => `  page: { listen: 127.0.0.1:${await freePort()}, secret: { file: ${file} } }`,
    );
    const ada = await pair.machine('ada-laptop', 'ada@example.com');
    const bob = await pair.machine('bob-laptop', 'bob@example.com');
    await pair.postgres.run("UPDATE people SET team = 'payments'");
    for (const [machine, command] of [
      [ada, 'migrate the carts'],
      [bob, 'empty the bucket'],
    ] as const) {
      await machine.start();
      await machine.hook({ ...permissionRequest, tool_input: { command } });
    }
    const signedIn = (email: string) => ({
      [PROXY_SECRET_HEADER]: SECRET,
      'x-forwarded-email': email,
    });

    for (const hub of pair.hubs) {
      await until(async () =>
        /<strong>2<\/strong>/.test((await pageFor(hub, signedIn('ada@example.com'))).text),
      );
      for (const [own, other, email] of [
        ['migrate the carts', 'empty the bucket', 'ada@example.com'],
        ['empty the bucket', 'migrate the carts', 'bob@example.com'],
      ] as const) {
        const page = await pageFor(hub, signedIn(email));
        assert.equal(page.status, 200);
        assert.deepEqual([page.text.includes(own), page.text.includes(other)], [true, false]);
      }
      assert.equal((await pageFor(hub, signedIn('eve@example.com'))).status, 403);
      assert.equal((await pageFor(hub, { 'x-forwarded-email': 'ada@example.com' })).status, 401);
    }

    await pair.postgres.run("UPDATE people SET removed_at = 1 WHERE email = 'bob@example.com'");
    for (const hub of pair.hubs) {
      await until(async () => (await pageFor(hub, signedIn('bob@example.com'))).status === 403);
    }
  },
);

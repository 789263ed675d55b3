import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

import { hubHomes } from '../../support/hub-homes.ts';
import { needsPostgres } from '../../support/postgres.ts';

interface Attempt {
  readonly port: number;
  /** The address that the connection comes from. */
  readonly from: string;
  readonly forwardedFor?: string;
}

/** The status of an attempt to enrol with a useless code. */
async function guess({ port, from, forwardedFor }: Attempt): Promise<number> {
  const body = JSON.stringify({ version: 1, code: 'GUESS', machine: 'desk', key: '1'.repeat(64) });
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  const where = { host: '127.0.0.1', port, localAddress: from, agent: false as const };
  const asking = request({ ...where, method: 'POST', path: '/v1/hub/enrol', headers });
  asking.end(body);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    asking.once('error', reject).once('response', resolve);
  });
  await text(answer);
  return answer.statusCode ?? 0;
}

/** A proxy that appends the address of its client to X-Forwarded-For, and passes everything on. */
async function startProxy(port: number) {
  const server = createServer((incoming, response) => {
    const { method, url, headers, socket } = incoming;
    const said = [headers['x-forwarded-for'] ?? [], socket.remoteAddress ?? []].flat();
    const onward = { ...headers, 'x-forwarded-for': said.join(', ') };
    const where = { host: '127.0.0.1', port, method, path: url, agent: false as const };
    const asking = request({ ...where, headers: onward }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(asking);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

for (const isKnown of [true, false]) {
  test(
    isKnown
      ? 'a hub behind a known proxy limits each client, by the address that the proxy saw'
      : 'a hub believes X-Forwarded-For of no one that it does not know',
    { skip: needsPostgres() },
    async () => {
      await using homes = await hubHomes({
        count: 1,
        // The peer of the second case is not the proxy that is named.
        config: `  behind_proxy: ${isKnown ? '[127.0.0.1]' : '[127.0.0.9]'}\n`,
      });
      const [hub] = homes.hubs;
      assert.ok(hub);
      await hub.start();
      const { listen } = await hub.ask('GET /v1/status');
      const tcp = listen?.addresses.find((address) => address.startsWith('http:')) ?? '';
      const direct = Number(new URL(tcp).port);
      await using proxy = await startProxy(direct);

      // Every attempt names another client.
      const ofAttacker: number[] = [];
      for (let index = 0; index < 30; index += 1) {
        const forwardedFor = `198.51.100.${index}`;
        ofAttacker.push(await guess({ port: proxy.port, from: '127.0.0.2', forwardedFor }));
      }
      const beside: number[] = [];
      for (let index = 0; index < 30; index += 1) {
        const forwardedFor = `198.51.100.${index}`;
        beside.push(await guess({ port: direct, from: '127.0.0.4', forwardedFor }));
      }
      const honest = await guess({ port: proxy.port, from: '127.0.0.3' });

      for (const statuses of [ofAttacker, beside]) {
        const tried = statuses.filter((status) => status === 403).length;
        assert.ok(tried >= 10 && tried < 20, statuses.join());
        assert.equal(statuses.at(-1), 429);
      }
      assert.equal(honest, isKnown ? 403 : 429);
    },
  );
}

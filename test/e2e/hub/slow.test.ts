import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect } from 'node:tls';

import { askHub, type Hub, type HubRequest, hubTeam, signed } from '../../support/hub-team.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { needs } from '../../support/system-part.ts';

const skip = needsPostgres() || needs('openssl');
const EVENTS = '/v1/relay/events';
const ENROL = 'POST /v1/hub/enrol HTTP/1.1\r\nhost: hub\r\n';
/** The memory of 1,000 connections, and what each may keep. */
const MOST_GROWTH_KB = 200 * 1_024;

function batch(count: number, characters = 10): HubRequest {
  const events = Array.from({ length: count }, (_, index) => ({
    id: `01890000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    at: Date.now(),
    facts: { agent: 'claude' },
    payload: Buffer.from(
      JSON.stringify({
        session_id: 's1',
        hook_event_name: 'Stop',
        last_assistant_message: 'x'.repeat(characters),
      }),
    ).toString('base64'),
  }));
  return { method: 'POST', path: EVENTS, body: JSON.stringify({ version: 1, events }) };
}

/** A connection that has sent this and says no more. */
async function opened({ port }: Pick<Hub, 'port'>, text: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  socket.on('error', () => {}).resume();
  await once(socket, 'secureConnect');
  socket.write(text);
  return socket;
}

function head({ method, path, headers = {} }: HubRequest, more: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, 'host: hub', ...lines, more, '', ''].join('\r\n');
}

async function residentKb(pid: number): Promise<number> {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

describe('a hub', { skip }, () => {
  test('takes the events of a machine beside 1,000 connections that never end what they began', async () => {
    await using team = await hubTeam();
    const ada = await team.enrol('ada@example.com', 'desk');
    const ben = await team.enrol('ben@example.com', 'bench');
    const { pid } = await team.one.ask('GET /v1/status');
    const before = await residentKb(pid);

    const begun: Socket[] = [];
    for (let round = 0; round < 100; round += 1) {
      const plain = connectPlain(team.one.port, '127.0.0.1').on('error', () => {});
      const texts = [
        '',
        'GET /v1/relay/hello HTTP/1.1\r\nhost: hub\r\n',
        `${ENROL}content-length: 100\r\n\r\n{`,
        `${ENROL}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`,
        `${ENROL}content-length: 1\r\n\r\n{}{}{}`,
        `${ENROL}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n`,
        head(signed(ada, batch(1)), 'content-length: 5000000'),
        head(signed(ada, batch(1)), 'transfer-encoding: chunked'),
        head(signed({ ...ada, key: ben.key }, batch(1)), 'content-length: 5000000'),
      ];
      const sockets = texts.map((text) => opened(team.one, text));
      begun.push(plain, ...(await Promise.all(sockets)));
    }

    assert.equal(begun.length, 1_000);
    const sent = await askHub(team.one, signed(ben, batch(256, 10_000)));
    assert.equal(sent.status, 200, sent.body);
    assert.equal((await team.postgres.run('SELECT 1 FROM events')).length, 256);
    assert.equal(typeof (await team.invite('eve@example.com')), 'string');
    assert.ok((await residentKb(pid)) - before < MOST_GROWTH_KB);
    for (const socket of begun) socket.destroy();
  });

  test('takes large and small batches beside bodies of all the machines of a person that never end', async () => {
    await using team = await hubTeam();
    const ben = await team.enrol('ben@example.com', 'bench');
    const begun: Socket[] = [];
    for (const machine of ['desk', 'lap', 'phone']) {
      const signer = await team.enrol('ada@example.com', machine);
      begun.push(
        await opened(team.one, head(signed(signer, batch(1)), 'transfer-encoding: chunked')),
      );
    }

    const large = await askHub(team.one, signed(ben, batch(256, 20_000)));
    const small = await askHub(team.one, signed(ben, batch(1)));

    assert.deepEqual([large.status, small.status], [200, 200], large.body);
    for (const socket of begun) socket.destroy();
  });
});

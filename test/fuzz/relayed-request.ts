import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { sha256 } from '../../src/platform/crypto.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createBodyRoom } from '../../src/relay/body-room.ts';
import { pairedEntrance } from '../../src/relay/event-routes.ts';
import { receiveRequest } from '../../src/relay/receiver.ts';
import { signRequest } from '../../src/relay/signature.ts';
import { takeBatch } from '../../src/relay/take-batch.ts';
import { EVENTS } from '../../src/relay/wire.ts';

const KEY = '1'.repeat(64);
const MACHINE = 'devbox';
const NOW = 1_700_000_000_000;

const taking = {
  store: {
    events: {
      accept: (records: readonly unknown[]) =>
        Promise.resolve(records.map(() => 'committed' as const)),
    },
  },
  decide: () => assert.fail('The store decides, and this one does not'),
  prepare: <Record>(record: Record) => record,
  now: () => NOW,
  log: silentLog,
  onCommitted: () => {},
};

/** Sends a request of another machine as the server would; answers the status. */
async function statusOf(headers: IncomingMessage['headers'], body: Buffer): Promise<number> {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: 'POST', url: EVENTS, headers });
  request.push(body);
  request.push(null);
  const response = new ServerResponse(request);
  await receiveRequest(request, response, {
    entrance: pairedEntrance({
      machines: () => Promise.resolve([{ name: MACHINE, key: KEY, scope: 'events', pairedAt: 0 }]),
      take: (machine, events) => takeBatch(machine, events, taking),
      now: () => NOW,
      log: silentLog,
    }),
    bodies: createBodyRoom(),
    onContact: () => {},
    now: () => NOW,
    log: silentLog,
  });
  return response.statusCode;
}

/** The headers of a paired machine for this body. */
function signed(body: Buffer): IncomingMessage['headers'] {
  const said = { machine: MACHINE, time: String(NOW), nonce: '0'.repeat(32), body: sha256(body) };
  const signature = signRequest(KEY, { method: 'POST', path: EVENTS, ...said });
  return named({ ...said, signature });
}

function named(values: Readonly<Record<string, string>>): IncomingMessage['headers'] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`hookbell-${name}`, value]),
  );
}

/** Takes bytes as headers of a stranger, as a batch, and as an event and its payload within a batch. */
export async function takeRelayed(bytes: Buffer): Promise<void> {
  const [machine = '', time = '', nonce = '', signature = ''] = bytes.toString().split('\n');
  const stranger = named({ machine, time, nonce, body: sha256(bytes), signature });
  assert.equal(await statusOf(stranger, bytes), 401);
  assert.ok([200, 400].includes(await statusOf(signed(bytes), bytes)));

  const event = { id: 'a'.repeat(32), at: 0, facts: {}, payload: bytes.toString('base64') };
  const odd = { ...event, id: machine.slice(0, 64), at: bytes.length, facts: { agent: time } };
  const batch = Buffer.from(JSON.stringify({ version: 1, events: [event, odd] }));
  assert.equal(await statusOf(signed(batch), batch), 200);
}

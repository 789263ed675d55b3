import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { createLink, type RelayLink } from '../../../src/relay/link.ts';
import { startHaproxy } from '../../support/haproxy.ts';
import { until } from '../../support/hookbell-home.ts';
import { type Hub, hubTeam, type HubTeam } from '../../support/hub-team.ts';
import { isAlive } from '../../support/is-alive.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { question } from '../../support/relay-pair.ts';
import { sampleRecord } from '../../support/store.ts';
import { needs } from '../../support/system-part.ts';

const skip = needsPostgres() || needs('openssl', 'haproxy');
const MACHINES = 8;
/** Of a machine, between two of its requests. */
const EVERY_MS = 100;
const behindProxy = ['127.0.0.1'];

/** The status of an attempt to enrol with a useless code. */
async function guess(port: number, from: string, forwardedFor: string): Promise<number> {
  const place = { host: '127.0.0.1', port, localAddress: from, agent: false as const };
  const headers = { 'x-forwarded-for': forwardedFor };
  const what = { method: 'POST', path: '/v1/hub/enrol', headers };
  const asking = request({ ...place, ...what, rejectUnauthorized: false });
  asking.end(JSON.stringify({ version: 1, code: 'GUESS', machine: 'desk', key: '1'.repeat(64) }));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    asking.once('error', reject).once('response', resolve);
  });
  await text(answer);
  return answer.statusCode ?? 0;
}

/** Links of machines to this port. */
async function linksTo(team: HubTeam, port: number): Promise<readonly RelayLink[]> {
  const certificate = await readFile(team.certificate, 'utf8');
  const links: RelayLink[] = [];
  for (let index = 0; index < MACHINES; index += 1) {
    const token = await team.enrol(`p${index}@example.com`, `m${index}`);
    const address = { type: 'url', secure: true, host: '127.0.0.1', port } as const;
    const outbound = createOutbound({ env: {} });
    links.push(createLink({ address, certificate, token, outbound, now: Date.now }));
  }
  return links;
}

/** Stops it as its service does, starts it again, and waits until the proxy uses it. */
async function restart(hub: Hub): Promise<void> {
  const { pid } = await hub.ask('GET /v1/status');
  process.kill(pid, 'SIGTERM');
  await until(() => !isAlive(pid), 30_000);
  await hub.start();
  await until(async () => {
    const families = await hub.ask('GET /v1/metrics');
    const requests = families.find(({ name }) => name === 'hookbell_hub_requests_total');
    const samples = requests?.samples ?? [];
    return samples.some(({ labels, value }) => labels['outcome'] === 'admitted' && value > 0);
  }, 30_000);
}

describe('haproxy.cfg', { skip }, () => {
  test('lets machines join and send events, and each address guess ten codes only', async () => {
    await using team = await hubTeam({ behindProxy });
    await using proxy = await startHaproxy(team);
    const desk = await team.machine();
    await desk.start();
    const code = await team.invite('ada@example.com');

    const words = ['--code', code, '--name', 'desk', '--certificate', team.certificate];
    const joined = await desk.cli('join', `https://127.0.0.1:${proxy.port}`, ...words);
    assert.equal(joined.code, 0, joined.stderr);
    // Larger than the buffers of the proxy.
    await desk.hook(question('s1', { tool_input: { command: 'x'.repeat(2_000_000) } }));
    await until(async () => (await team.lines()).length === 1);

    const ofAttacker: number[] = [];
    for (let index = 0; index < 30; index += 1) {
      ofAttacker.push(await guess(proxy.port, '127.0.0.2', `198.51.100.${index}`));
    }
    const tried = ofAttacker.filter((status) => status === 403).length;
    assert.ok(tried >= 10 && tried < 20, ofAttacker.join());
    assert.equal(ofAttacker.at(-1), 429);
    assert.equal(await guess(proxy.port, '127.0.0.3', '127.0.0.2'), 403);
  });

  test('lets no request of a machine fail while one hub after the other restarts', async () => {
    await using team = await hubTeam({ behindProxy, drain: '3s' });
    await using proxy = await startHaproxy(team);
    const links = await linksTo(team, proxy.port);
    const { signal } = new AbortController();
    const failed: string[] = [];
    let sent = 0;
    const over = new AbortController();

    async function handIn(link: RelayLink, machine: number): Promise<void> {
      for (let count = 0; !over.signal.aborted; count += 1) {
        const id = `${machine}-${String(count).padStart(16, '0')}`;
        const record = sampleRecord(
          { id, at: Date.now(), facts: { agent: 'claude' } },
          JSON.stringify({ hook_event_name: 'Stop', session_id: `s${machine}`, cwd: '/srv/shop' }),
        );
        const answer = await link.send([record], signal);
        const verdict = answer.type === 'ok' ? answer.results[0]?.verdict : answer.type;
        if (verdict === 'committed') sent += 1;
        else failed.push(`${id}: ${verdict}`);
        await delay(EVERY_MS);
      }
    }
    async function restartAll(): Promise<void> {
      try {
        await until(() => sent > 50, 60_000);
        await restart(team.one);
        await restart(team.other);
      } finally {
        over.abort();
      }
    }
    await Promise.all([...links.map(handIn), restartAll()]);
    for (const link of links) link.close();

    assert.deepEqual(failed, []);
    const [row] = await team.postgres.run('SELECT count(*)::int AS count FROM events');
    assert.equal(row?.['count'], sent);
  });
});

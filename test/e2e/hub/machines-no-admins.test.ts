import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { type hubBodies, hubRoutes } from '../../../src/control/hub-routes.ts';
import { askControl } from '../../support/control-request.ts';
import { controlRequests } from '../../support/control-requests.ts';
import { askHub, hubTeam, signed } from '../../support/hub-team.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { needs } from '../../support/system-part.ts';

/** A body of each request of administrators that would change something; the others get the first. */
const bodies: Readonly<Record<keyof typeof hubBodies, object>> = {
  'POST /v1/hub-revoke': { what: 'desk' },
  'POST /v1/hub-policy': { text: 'none' },
  'POST /v1/hub-invite': { email: 'eve@example.com' },
  'POST /v1/hub-import': { people: [{ email: 'eve@example.com' }], source: 'csv' },
  'POST /v1/hub-missing': { emails: ['eve@example.com'], source: 'csv' },
  'POST /v1/hub-prune': { emails: ['eve@example.com'], source: 'csv', shown: ['dan@example.com'] },
  'POST /v1/hub-forget': { email: 'ada@example.com' },
};

function partsOf(name: string) {
  const [method = '', path = ''] = name.split(' ');
  const found = new Map(Object.entries(bodies)).get(name) ?? bodies['POST /v1/hub-revoke'];
  return { method, path, body: method === 'GET' ? '' : JSON.stringify(found) };
}

test(
  'the port for machines serves no request of the control socket, and no administrator',
  { skip: needsPostgres() || needs('openssl') },
  async () => {
    await using team = await hubTeam();
    const desk = await team.enrol('ada@example.com', 'desk');
    const lap = await team.enrol('ada@example.com', 'lap');
    const people = [{ email: 'dan@example.com' }];
    await team.one.ask('POST /v1/hub-import', { body: { people, source: 'csv' } });
    const token = `Bearer ${(await readFile(team.one.paths.token, 'utf8')).trim()}`;
    const stored = () =>
      Promise.all(
        ['people', 'machines', 'invitations', 'policies', 'audit'].map((table) =>
          team.postgres.run(`SELECT to_jsonb(one) - 'heard_at' AS row FROM ${table} AS one`),
        ),
      );
    const former = await stored();
    const requests = await controlRequests();
    const ofHub = Object.keys(hubRoutes(null));
    assert.deepEqual(
      ofHub.filter((name) => !requests.includes(name)),
      [],
    );
    assert.ok(requests.length > ofHub.length);

    for (const name of requests) {
      const request = partsOf(name);
      // The administrator's own secret does not help either.
      const asked = signed(desk, request, { authorization: token });
      assert.equal((await askHub(team.one, asked)).status, 404, name);
      const unsigned = { ...request, headers: { authorization: token } };
      assert.equal((await askHub(team.other, unsigned)).status, 401, name);
    }
    // A machine may send so many requests in a burst.
    const writes = ofHub.filter((name) => name.startsWith('POST'));
    for (const name of writes) {
      const { path, ...request } = partsOf(name);
      const [, , last = ''] = path.split('/');
      const others = [
        `/v1/hub/${last.replace('hub-', '')}`,
        `/v1/hub/../${last}`,
        `/v1/relay/events/../../${last}`,
        `//hub${path}`,
        `${path}?as=admin`,
        `http://hookbell${path}`,
      ].filter((other) => other !== '/v1/hub/policy');
      for (const other of others) {
        const asked = signed(lap, { ...request, path: other });
        assert.equal((await askHub(team.other, asked)).status, 404, other);
      }
    }

    assert.deepEqual(await stored(), former);
    assert.equal(
      (await askHub(team.one, signed(desk, { method: 'GET', path: '/v1/relay/hello' }))).status,
      200,
    );
    // The same bodies do change something where administrators send them.
    for (const name of writes.filter((one) => one !== 'POST /v1/hub-missing')) {
      const before = await stored();
      const answer = await askControl(team.one, partsOf(name));
      assert.equal(answer.status, 200, `${name}: ${answer.body}`);
      assert.notDeepEqual(await stored(), before, name);
    }
  },
);

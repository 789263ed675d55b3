import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import * as fc from 'fast-check';

import { ENROL } from '../../../src/core/hub/machine-requests.ts';
import { EVENTS } from '../../../src/relay/wire.ts';
import { askHub, type HubTeam, hubTeam, type Signer, signed } from '../../support/hub-team.ts';
import { machineBodies } from '../../support/machine-bodies.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { bodiesOf } from '../../support/schema-bodies.ts';
import { needs } from '../../support/system-part.ts';

const RUNS = 40;
const SEED = Number(process.env['HOOKBELL_SEED'] ?? 19);
const HELLO = { method: 'GET', path: '/v1/relay/hello' };
const ID = '01890000-0000-7000-8000-000000000001';

describe(
  'bodies of machines with SQL and control bytes in every text',
  {
    skip: needsPostgres() || needs('openssl'),
  },
  () => {
    let team: HubTeam;
    let ben: Signer;
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    before(async () => {
      team = await hubTeam();
      const ada = await team.enrol('ada@example.com', 'desk');
      ben = await team.enrol('ben@example.com', 'bench');
      const payload = { session_id: 's1', hook_event_name: 'PermissionRequest', cwd: '/srv/shop' };
      const event = {
        id: ID,
        at: Date.now(),
        facts: { agent: 'claude' },
        payload: Buffer.from(JSON.stringify(payload)).toString('base64'),
      };
      const body = JSON.stringify({ version: 1, events: [event] });
      const sent = await askHub(team.one, signed(ada, { method: 'POST', path: EVENTS, body }));
      assert.match(sent.body, /committed/);
      await team.one.ask('POST /v1/hub-policy', { body: { text: 'summary' } });
    });
    after(async () => {
      agent.destroy();
      await team[Symbol.asyncDispose]();
    });

    /** Everything of the other person, and what belongs to all. */
    async function ofOthers(): Promise<unknown> {
      const tables = [
        "events WHERE machine = 'desk'",
        "sessions WHERE machine = 'desk'",
        "alerts WHERE session_key LIKE 'desk/%'",
        "machines WHERE name = 'desk'",
        "people WHERE email = 'ada@example.com'",
        "mutes WHERE person = 'ada@example.com'",
        'policies',
      ];
      return Promise.all(
        tables.map(async (from) => {
          const rows = await team.postgres.run(`SELECT * FROM ${from}`);
          return rows.map(({ heard_at: _heard, ...row }) => row);
        }),
      );
    }

    for (const [path, schema] of machineBodies) {
      test(`POST ${path} takes them as texts, or refuses them`, async () => {
        const former = await ofOthers();
        const counts: Record<number, number> = {};

        await fc.assert(
          fc.asyncProperty(bodiesOf(schema), fc.boolean(), async (made, isFirst) => {
            const request = { method: 'POST', path, body: JSON.stringify(made) };
            const asked = path === ENROL ? request : signed(ben, request);
            const answer = await askHub(isFirst ? team.one : team.other, { ...asked, agent });
            counts[answer.status] = (counts[answer.status] ?? 0) + 1;
            assert.ok([200, 400, 403, 409, 429].includes(answer.status), `${answer.status}`);
          }),
          { numRuns: RUNS, seed: SEED, endOnFailure: true },
        );

        const isTried = path === ENROL ? (counts[403] ?? 0) : (counts[200] ?? 0);
        assert.ok(isTried > 0, `no body fitted the schema: ${JSON.stringify(counts)}`);
        assert.deepEqual(await ofOthers(), former);
        assert.equal((await askHub(team.other, signed(ben, HELLO))).status, 200);
        const log = await readFile(join(team.postgres.directory, 'log'), 'utf8');
        assert.doesNotMatch(log, /ERROR:.*(syntax|unterminated|does not exist|invalid|pg_sleep)/);
      });
    }

    test('a captured POST is accepted once, also at the other process and after a restart', async () => {
      const body = JSON.stringify({ version: 1, events: [] });
      const captured = signed(ben, { method: 'POST', path: EVENTS, body });
      const replay = { status: 409, body: '{"error":"replay"}' };

      const both = await Promise.all(
        [team.one, team.other, team.one, team.other].map((hub) => askHub(hub, captured)),
      );
      assert.deepEqual(
        both.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 409, 409, 409],
      );
      await team.other.killDaemon();
      await team.other.start();
      assert.deepEqual(await askHub(team.other, captured), replay);
      await team.postgres.kill();
      await team.postgres.start();
      for (const hub of [team.one, team.other]) {
        let answer = await askHub(hub, captured);
        // The hub rests for up to five seconds after a failure to connect, and limits how often a machine asks.
        while ([429, 503].includes(answer.status)) {
          await delay(200);
          answer = await askHub(hub, captured);
        }
        assert.deepEqual(answer, replay);
      }
    });
  },
);

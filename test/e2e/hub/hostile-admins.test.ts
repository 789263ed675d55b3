import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import * as fc from 'fast-check';
import { Client } from 'pg';
import { z } from 'zod';

import { hubBodies } from '../../../src/control/hub-routes.ts';
import { parseJson } from '../../../src/platform/json.ts';
import { askControl } from '../../support/control-request.ts';
import { until } from '../../support/hookbell-home.ts';
import { askHub, type HubTeam, hubTeam, signed } from '../../support/hub-team.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { attacks, bodiesOf, spoiledBodiesOf } from '../../support/schema-bodies.ts';
import { rowReader, without } from '../../support/stored-rows.ts';
import { needs } from '../../support/system-part.ts';

const RUNS = 30;
const SEED = Number(process.env['HOOKBELL_SEED'] ?? 19);
/** Whom the bodies name, besides hostile texts; never Ada. */
const named = ['eve@example.com', ' Dan@Example.com', 'bench', 'Eve E.'];
const routes = Object.entries(hubBodies).map(([name, schema]) => {
  const [method = '', path = ''] = name.split(' ');
  return { name, schema, method, path };
});

/** The tables that each request may change, in rows that are not Ada's. */
const changes: Record<keyof typeof hubBodies, readonly string[]> = {
  'POST /v1/hub-policy': ['policies'],
  'POST /v1/hub-invite': ['people', 'invitations'],
  'POST /v1/hub-revoke': ['people', 'machines', 'invitations'],
  'POST /v1/hub-import': ['people'],
  'POST /v1/hub-missing': [],
  'POST /v1/hub-prune': ['people', 'machines', 'invitations'],
  // An address is replaced in every text.
  'POST /v1/hub-forget': ['people', 'machines', 'invitations', 'policies'],
};
const Refusal = z.object({ error: z.string().min(1), name: z.string() });

interface Answer {
  readonly status: number;
  readonly body: string;
}

function changesOf(name: string): readonly string[] {
  return new Map(Object.entries(changes)).get(name) ?? [];
}

/** The rows that only one of them has. */
function difference(former: ReadonlySet<string>, later: ReadonlySet<string>): readonly string[] {
  return [...without(former, later), ...without(later, former)];
}

function assertRefused({ status, body }: Answer): void {
  assert.equal(status, 422, body);
  const { error } = Refusal.parse(parseJson(body));
  // It is printed at a terminal.
  assert.doesNotMatch(error.replaceAll('\n', ''), /\p{Cc}|\p{Cs}/u);
  assert.ok(error.length < 2_000, `${error.length} characters`);
}

describe(
  'bodies of administrators with SQL, control bytes and parts of other types',
  { skip: needsPostgres() || needs('openssl') },
  () => {
    let team: HubTeam;
    let database: Client;
    let rows: () => Promise<ReadonlySet<string>>;
    before(async () => {
      team = await hubTeam();
      database = new Client(team.postgres.url);
      await database.connect();
      const ada = await team.enrol('ada@example.com', 'desk');
      await team.enrol('eve@example.com', 'bench');
      const payload = { session_id: 's1', hook_event_name: 'PermissionRequest', cwd: '/srv/shop' };
      const event = {
        id: '01890000-0000-7000-8000-000000000001',
        at: Date.now(),
        facts: { agent: 'claude' },
        payload: Buffer.from(JSON.stringify(payload)).toString('base64'),
      };
      const ofAda = (path: string, body: object) =>
        askHub(team.one, signed(ada, { method: 'POST', path, body: JSON.stringify(body) }));
      await ofAda('/v1/relay/events', { version: 1, events: [event] });
      await ofAda('/v1/hub/me', { type: 'mute', forMs: null });
      await ofAda('/v1/hub/me', { type: 'set', settings: { timezone: 'UTC' } });
      await team.one.ask('POST /v1/hub-policy', { body: { text: 'summary' } });
      await until(async () => (await team.lines()).length === 1);
      rows = await rowReader(
        async (sql) => (await database.query<Record<string, unknown>>(sql)).rows,
      );
    });
    after(async () => {
      await database.end();
      await team[Symbol.asyncDispose]();
    });

    for (const { name, schema, method, path } of routes) {
      test(`${name} takes them as texts, or says what is wrong and changes nothing`, async () => {
        const counts: Record<number, number> = {};
        let former = await rows();
        const kinds = [bodiesOf(schema, named), spoiledBodiesOf(schema, named)];

        await fc.assert(
          fc.asyncProperty(fc.oneof(...kinds), fc.boolean(), async (made, isFirst) => {
            const body = JSON.stringify(made);
            const answer = await askControl(isFirst ? team.one : team.other, {
              method,
              path,
              body,
            });
            counts[answer.status] = (counts[answer.status] ?? 0) + 1;
            const later = await rows();
            const changed = difference(former, later);
            former = later;
            if (answer.status === 200) {
              const allowed = [...changesOf(name), 'audit'];
              const wrong = changed.filter((row) => !allowed.includes(row.split(' ')[0] ?? ''));
              assert.deepEqual(wrong, []);
              assert.doesNotMatch(changed.join('\n'), /ada@example|"desk"/);
            } else {
              assertRefused(answer);
              assert.deepEqual(changed, []);
            }
          }),
          { numRuns: RUNS, seed: SEED, endOnFailure: true, includeErrorInReport: true },
        );

        assert.ok((counts[200] ?? 0) > 0 && (counts[422] ?? 0) > 0, JSON.stringify(counts));
        const log = await readFile(join(team.postgres.directory, 'log'), 'utf8');
        assert.doesNotMatch(log, /ERROR:.*(syntax|unterminated|does not exist|invalid|pg_sleep)/);
        const people = await team.other.ask('GET /v1/hub-people');
        for (const text of people.flatMap((person) => [person.name, person.team])) {
          assert.doesNotMatch(text ?? 'none', /^$|\p{Cc}|\p{Cs}/u);
        }
      });
    }

    test('anything else than a request is refused, and changes nothing', async () => {
      const former = await rows();
      const whole = JSON.stringify({ email: 'eve@example.com' });
      const bodies: Readonly<Record<string, string | Uint8Array>> = {
        nothing: '',
        null: 'null',
        'a text': '"eve@example.com"',
        'an array': `[${whole}]`,
        'a part': whole.slice(0, -1),
        'more than one': whole + whole,
        'NUL bytes': '\0'.repeat(100),
        'NUL in a text': whole.replace('eve', 'e\0ve'),
        'no UTF-8': Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x7d]),
        'nested deep': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
        'a prototype': '{"__proto__":{"email":"eve@example.com"}}',
      };
      for (const { name, method, path } of routes) {
        for (const [what, body] of Object.entries(bodies)) {
          const answer = await askControl(team.one, { method, path, body });
          assert.equal(answer.status, 422, `${name}: ${what}: ${answer.body}`);
          assertRefused(answer);
        }
        for (const other of ['PUT', 'DELETE', 'PATCH']) {
          assert.equal(
            (await askControl(team.one, { method: other, path, body: whole })).status,
            404,
          );
        }
        for (const bad of ['/%ff', '/%', '/%00/..%2f']) {
          const answer = await askControl(team.one, { method, path: `${path}${bad}`, body: '[]' });
          assertRefused(answer);
        }
      }
      for (const path of ['//', '//[', '/v1', '/v1/%ff', '/v1/hub-people%00', '*']) {
        const { status } = await askControl(team.one, { method: 'POST', path, body: whole });
        assert.ok(status === 404 || status === 422, `${path}: ${status}`);
      }
      assert.deepEqual(difference(former, await rows()), []);
    });

    test('queries with such texts are refused, and change nothing', async () => {
      const former = await rows();
      const paths = ['hub-forget?email=', 'hub-audit?limit=', 'hub-verify?expect='];

      for (const [index, text] of attacks.entries()) {
        for (const path of paths) {
          const asked = {
            method: 'GET',
            path: `/v1/${path}${encodeURIComponent(text.toWellFormed())}`,
          };
          const answer = await askControl(index % 2 === 0 ? team.one : team.other, asked);
          const isTold = path.startsWith('hub-verify') && answer.status === 200;
          if (!isTold) assertRefused(answer);
        }
      }
      assert.deepEqual(difference(former, await rows()), []);
    });

    test('the message names the part that is wrong, and what is expected there', async () => {
      const eve = { email: 'eve@example.com' };
      const cases: readonly (readonly [path: string, body: object, message: RegExp])[] = [
        ['hub-invite', {}, /: "email" is missing, expected text$/],
        ['hub-invite', { email: 'eve' }, /: "email" is not an email address: "eve"$/],
        ['hub-invite', { ...eve, name: ['Eve'] }, /: "name" is a list, expected text$/],
        ['hub-invite', { ...eve, name: 'x'.repeat(201) }, /: "name" is longer/],
        ['hub-invite', { ...eve, mail: 1 }, /: "mail" is unknown here, did you mean "email"\?$/],
        ['hub-revoke', { what: '' }, /: "what" is empty$/],
        ['hub-revoke', { what: 'desk\0' }, /No machine that may send is called "desk"/],
        ['hub-revoke', { what: "desk' OR 1=1 --" }, /No machine that may send is called "desk' OR/],
        ['hub-import', { people: eve, source: 'csv' }, /: "people" is a mapping, expected a list$/],
        [
          'hub-import',
          { people: [eve, null], source: 'csv' },
          /: "people\[1\]" is empty, expected a mapping$/,
        ],
        [
          'hub-import',
          { people: [eve], source: 'invitation' },
          /: "source" is not one of "csv", "directory"$/,
        ],
        [
          'hub-import',
          { people: Array.from({ length: 9 }, () => ({})), source: 'csv' },
          /; and 4 more$/,
        ],
        ['hub-prune', { emails: [], source: 'csv', shown: [] }, /: "emails" is an empty list$/],
        [
          'hub-prune',
          { emails: ['a@b.cd'], source: 'csv', shown: 1 },
          /: "shown" is a number, expected a list$/,
        ],
        ['hub-policy', { text: 'most' }, /: "text" is not one of /],
        ['hub-policy', { redact: false }, /: "redact" is not true$/],
        [
          'hub-policy',
          { channels: ['slakc'] },
          /No channel has the type "slakc", did you mean "slack"/,
        ],
        ['hub-forget', { email: 'nobody@example.com' }, /No person of the hub is called "nobody@/],
      ];
      const former = await rows();

      for (const [path, body, message] of cases) {
        const asked = { method: 'POST', path: `/v1/${path}`, body: JSON.stringify(body) };
        const answer = await askControl(team.other, asked);
        assertRefused(answer);
        assert.match(Refusal.parse(parseJson(answer.body)).error, message);
      }
      assert.deepEqual(difference(former, await rows()), []);
    });

    test('a name of which nothing can be shown leaves the former one', async () => {
      const email = 'eve@example.com';
      await team.one.ask('POST /v1/hub-invite', { body: { email, name: 'Eve', team: 'payments' } });

      const blank = { email, name: '\u0007\u200b', team: ' \u001b[31m' };
      await team.one.ask('POST /v1/hub-invite', { body: blank });
      await team.one.ask('POST /v1/hub-import', { body: { people: [blank], source: 'csv' } });

      const people = await team.other.ask('GET /v1/hub-people');
      const eve = people.find((person) => person.email === email);
      assert.deepEqual([eve?.name, eve?.team], ['Eve', 'payments']);
    });

    test('after all of them the audit is whole, and both processes serve', async () => {
      const { stdout } = await team.one.cli('logs');
      assert.doesNotMatch(stdout, /Cannot handle a control request/);
      for (const hub of [team.one, team.other]) {
        assert.equal((await hub.cli('hub', 'audit', '--verify')).code, 0);
        assert.equal((await hub.ask('GET /v1/hub-machines')).length > 0, true);
      }
    });
  },
);

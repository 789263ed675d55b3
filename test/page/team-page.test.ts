import assert from 'node:assert/strict';
import { request } from 'node:http';
import test from 'node:test';

import { readTeam } from '../../src/daemon/team-page/read-team.ts';
import { PROXY_SECRET_HEADER, serveTeamPage, type TeamMember } from '../../src/page/team-page.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';
import { measureBy } from '../../src/alerts/measure-wait.ts';
import { NOW, sampleEffects, sampleRecord, sampleSession } from '../support/store.ts';
import { ALL_DAY } from '../support/waiting-run.ts';

const SECRET = 'a secret of the proxy';

const people: readonly TeamMember[] = [
  { email: 'ada@example.com', name: 'Ada', team: 'payments' },
  { email: 'bob@example.com', name: 'Bob <b>', team: 'payments' },
  { email: 'eve@example.com', name: null, team: null },
];
const owners: Readonly<Record<string, string>> = {
  'ada-laptop': 'ada@example.com',
  'bob-laptop': 'bob@example.com',
};
const member = (email: string): TeamMember | null =>
  people.find((person) => person.email === email) ?? null;

async function teamPage(shows: 'counts' | 'people' = 'counts') {
  const store = await openMemoryStore(() => NOW);
  const session = (machine: string, text: string) => {
    const key = `${machine}/claude:${text}`;
    return store.events.accept([sampleRecord({ sessionKey: key, machine })], () =>
      sampleEffects({
        session: sampleSession({
          key,
          machine,
          state: 'waiting',
          stateSince: NOW - 60_000,
          waitingFor: text,
          project: `${machine} project`,
        }),
        wait: { ended: null, begun: { kind: 'needs.permission', since: NOW - 60_000 } },
      }),
    );
  };
  await session('ada-laptop', 'Run the migration of Ada');
  await session('bob-laptop', 'Delete the bucket of Bob');
  await session('gone-laptop', 'A machine of no one');
  const server = await serveTeamPage(
    { host: '127.0.0.1', port: 0 },
    {
      url: 'https://hub.example.com',
      personHeader: 'X-Forwarded-Email',
      secret: SECRET,
      member,
      read: (person, days) =>
        readTeam(person, days, {
          shows,
          ownerOf: (machine) => member(owners[machine] ?? ''),
          store,
          redact: (text) => text,
          now: () => NOW,
        }),
      now: () => NOW,
      log: silentLog,
    },
  );
  return {
    store,
    get: (headers: Readonly<Record<string, string | string[]>>, path = '/', method = 'GET') =>
      new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
        const asked = request(`${server.origin}${path}`, { method, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (piece: string) => (text += piece));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        });
        asked.on('error', reject).end();
      }),
    async [Symbol.asyncDispose]() {
      await server.close();
      await store.close();
    },
  };
}

function rowsOf(text: string): readonly string[] {
  return [...text.matchAll(/<th scope="row"><bdi>([^<]+)<\/bdi>/g)].map(([, name = '']) => name);
}

const signedIn = (email: string) => ({
  [PROXY_SECRET_HEADER]: SECRET,
  'x-forwarded-email': email,
  host: 'hub.example.com',
});

test('people see their own sessions, and of their team only how many wait', async () => {
  await using page = await teamPage();

  const { status, text } = await page.get(signedIn('Ada@Example.com'));

  assert.equal(status, 200);
  assert.match(text, /Run the migration of Ada/);
  assert.match(text, /<strong>2<\/strong><span class="faint">sessions wait/);
  for (const other of ['bucket of Bob', 'Bob &lt;b&gt;', 'bob-laptop', 'no one']) {
    assert.equal(text.includes(other), false, `the page shows "${other}"`);
  }
});

test('if the hub says so, it names the colleagues that are waited for, without their texts', async () => {
  await using page = await teamPage('people');

  const { text } = await page.get(signedIn('ada@example.com'));

  assert.match(text, /Bob &lt;b&gt;/);
  assert.match(text, /bob-laptop project/);
  assert.equal(text.includes('bucket of Bob'), false);
  assert.equal(text.includes('no one'), false);
});

test('only the proxy is believed, only once per header, and only about people of the hub', async () => {
  await using page = await teamPage();
  const ada = signedIn('ada@example.com');

  const attempts: readonly (readonly [number, Readonly<Record<string, string | string[]>>])[] = [
    [401, { 'x-forwarded-email': 'ada@example.com' }],
    [401, { ...ada, [PROXY_SECRET_HEADER]: 'guessed' }],
    [401, { ...ada, [PROXY_SECRET_HEADER]: [SECRET, SECRET] }],
    [403, { ...ada, 'x-forwarded-email': ['ada@example.com', 'bob@example.com'] }],
    [403, { ...ada, 'x-forwarded-email': '' }],
    [403, { ...ada, 'x-forwarded-email': "nobody@example.com' OR 1=1 --" }],
    [403, { ...ada, 'sec-fetch-mode': 'cors' }],
    [421, { ...ada, host: 'evil.example.com' }],
  ];
  for (const [expected, headers] of attempts) {
    const { status, text } = await page.get(headers);
    assert.equal(status, expected, JSON.stringify(headers));
    assert.equal(text.includes('migration'), false);
  }
  assert.equal((await page.get(ada, '/', 'POST')).status, 405);
  assert.equal((await page.get(ada, '/events/1')).status, 404);
});

test('waiting time: their own, and of teams in which at least three people waited', async () => {
  await using counts = await teamPage();
  await using named = await teamPage('people');
  for (const { store } of [counts, named]) {
    for (const machine of ['ada-laptop', 'bob-laptop']) {
      const key = `${machine}/claude:${machine === 'ada-laptop' ? 'Run the migration of Ada' : 'Delete the bucket of Bob'}`;
      await store.events.accept([sampleRecord({ sessionKey: key, machine, at: NOW - 1 })], () =>
        sampleEffects({
          wait: { ended: { until: NOW - 1, ending: 'terminal', via: null }, begun: null },
        }),
      );
    }
    await store.waits.measure({ measure: measureBy(ALL_DAY), exceptChannels: [], limit: 10 });
  }
  assert.deepEqual(rowsOf((await counts.get(signedIn('ada@example.com'))).text), ['You']);
  assert.deepEqual(rowsOf((await named.get(signedIn('ada@example.com'))).text), [
    'You',
    'payments',
  ]);
  assert.match((await named.get(signedIn('eve@example.com'))).text, /You are not in a team/);
});

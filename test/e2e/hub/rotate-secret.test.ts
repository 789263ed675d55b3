import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { until } from '../../support/hookbell-home.ts';
import { askHub, type Hub, hubTeam, signed, type Signer } from '../../support/hub-team.ts';
import { needsPostgres } from '../../support/postgres.ts';

test(
  'the secret of a hub is replaced one process after the other, while machines send to both',
  { skip: needsPostgres(), timeout: 180_000 },
  async () => {
    await using team = await hubTeam();
    const { one, other, postgres } = team;
    const former = await readFile(one.paths.config, 'utf8');
    const [, oldFile = ''] = /secret: \{ file: ([^ ]+) \}/.exec(former) ?? [];
    const newFile = join(one.home, 'hub-secret-2');
    const secrets = [(await readFile(oldFile, 'utf8')).trim(), randomBytes(32).toString('base64')];
    await writeFile(newFile, `${secrets[1]}\n`, { mode: 0o600 });
    const both = `secret: { file: ${newFile} }, previous_secret: { file: ${oldFile} }`;
    const desk = await team.enrol('ada@example.com', 'desk');
    await using sending = keepSending([one, other], desk);

    await replaceIn(one, both);
    await until(async () => /not sealed with the new "hub\.secret" yet/.test(await saidBy(one)));
    const waiting = await saidBy(one);
    await sending.sent();
    // One of both has made it, and the other one opens it.
    const bench = await team.enrol('ben@example.com', 'bench');
    const early = [await hello(one, bench), await hello(other, bench)];

    await replaceIn(other, both);
    for (const hub of [one, other])
      await until(async () => /remove "hub\.previous_secret" from/.test(await saidBy(hub)));
    await sending.sent();
    const late = [await hello(one, bench), await hello(other, bench)];

    await other.killDaemon();
    await writeFile(
      other.paths.config,
      (await readFile(other.paths.config, 'utf8')).replace(both, `secret: { file: ${oldFile} }`),
    );
    const refused = await other.cli('hub', 'run');
    await replaceIn(one, `secret: { file: ${newFile} }`);
    await until(async () => (await saidBy(one)) === '');
    await sending.sent();

    assert.ok(waiting.includes(`a process on "${hostname()}" does not have it`), waiting);
    assert.deepEqual([...early, ...late], [200, 200, 200, 200]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /sealed with another secret; "hub\.secret" must be the same/);
    assert.deepEqual(sending.others(), [], 'no request of a machine was refused');
    const dump = await promisify(execFile)('/usr/lib/postgresql/15/bin/pg_dump', [
      '--inserts',
      postgres.url,
    ]);
    for (const text of [desk.key, bench.key, ...secrets]) assert.ok(!dump.stdout.includes(text));
    const audit = await one.cli('hub', 'audit');
    assert.match(audit.stdout, /hub +seal +- +\{"machines":2,"isFirst":false\}/);
  },
);

test(
  '"hookbell hub reset-secret" lets a hub start again that lost its secret; machines enrol again',
  { skip: needsPostgres(), timeout: 180_000 },
  async () => {
    await using team = await hubTeam();
    const { one, other } = team;
    const lost = await team.enrol('ada@example.com', 'desk');
    const newFile = join(one.home, 'hub-secret-2');
    await writeFile(newFile, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    await one.killDaemon();
    await replaceIn(one, `secret: { file: ${newFile} }`);

    const early = await one.cli('hub', 'reset-secret', '--yes');
    const here = await other.cli('hub', 'reset-secret', '--yes');
    await other.killDaemon();
    const refused = await one.cli('hub', 'run');
    await replaceIn(one, `secret: { file: ${newFile} }, previous_secret: { file: ${newFile} }`);
    const same = await one.cli('hub', 'run');
    await replaceIn(one, `previous_secret: { file: ${newFile} }`);
    const alone = await one.cli('hub', 'run');
    await replaceIn(one, `secret: { file: ${newFile} }`);
    const unsure = await one.cli('hub', 'reset-secret');
    const reset = await one.cli('hub', 'reset-secret', '--yes', '--json');
    await one.start();
    const status = await hello(one, lost);
    const found = await team.enrol('ada@example.com', 'desk');

    assert.deepEqual([early.code, here.code, refused.code, unsure.code], [1, 1, 1, 2]);
    assert.match(early.stderr, /A process of the hub still runs on/);
    assert.match(here.stderr, /The process of the hub on this host still runs, pid \d+/);
    assert.match(
      refused.stderr,
      /^hookbell: Cannot use the database .* sealed with another secret/m,
    );
    assert.match(same.stderr, /hub\.secret and hub\.previous_secret are the same/);
    assert.match(alone.stderr, /hub: has "previous_secret", but no "secret" to replace it/);
    assert.deepEqual([reset.code, JSON.parse(reset.stdout)], [0, { machines: 1 }]);
    assert.equal(status, 401);
    assert.equal(await hello(one, found), 200);
  },
);

test(
  'a process that gets another secret while it runs serves on, says why it does not use it, and forgets it with the file (G19)',
  { skip: needsPostgres(), timeout: 120_000 },
  async () => {
    await using team = await hubTeam();
    const { one } = team;
    const desk = await team.enrol('ada@example.com', 'desk');
    const former = await readFile(one.paths.config, 'utf8');
    const newFile = join(one.home, 'hub-secret-2');
    await writeFile(newFile, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });

    await replaceIn(one, `secret: { file: ${newFile} }`);
    const problem = /sealed with another secret; \\?"hub\.secret\\?" must be the same/;
    const isShown = async (): Promise<boolean> =>
      problem.test(JSON.stringify(await one.ask('GET /v1/status')));
    await until(isShown, 60_000);
    const status = await one.cli('status');
    const during = await hello(one, desk);
    await writeFile(one.paths.config, former);

    await until(async () => !(await isShown()), 60_000);
    assert.match(status.stdout, problem);
    assert.equal(during, 200);
    assert.equal(await hello(one, desk), 200);
    assert.match(await readFile(one.paths.log, 'utf8'), /Refused the configuration/);
  },
);

/** Has it restart with other secrets. */
async function replaceIn({ paths }: Hub, secret: string): Promise<void> {
  const text = await readFile(paths.config, 'utf8');
  await writeFile(paths.config, text.replace(/(?:previous_)?secret: .* \}(?=, behind)/, secret));
}

async function saidBy(hub: Hub): Promise<string> {
  return (await hub.ask('GET /v1/hub')).warnings.join('\n');
}

async function hello(hub: Hub, signer: Signer): Promise<number> {
  const { status } = await askHub(hub, signed(signer, HELLO));
  return status;
}

const HELLO = { method: 'GET', path: '/v1/relay/hello' };
/** A machine may ask 20 times a second. */
const EVERY_MS = 250;

/** Sends requests to both until it is disposed of. While a process restarts, it refuses connections. */
function keepSending(hubs: readonly Hub[], signer: Signer) {
  const others: (number | string)[] = [];
  let rounds = 0;
  const end = new AbortController();
  async function send(): Promise<void> {
    while (!end.signal.aborted) {
      for (const hub of hubs) {
        const status = await hello(hub, signer).catch((error: unknown) => String(error));
        const isAway = typeof status === 'string' && /ECONNREFUSED|ECONNRESET|socket/.test(status);
        if (status !== 200 && !isAway) others.push(status);
      }
      rounds += 1;
      await delay(EVERY_MS);
    }
  }
  const sending = send();
  return {
    others: () => others,
    /** Resolves when each has got another one. */
    async sent() {
      const before = rounds;
      await until(() => rounds > before + 1);
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await sending;
    },
  };
}

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { permissionRequest } from '../../support/asking-hook.ts';
import { readLines } from '../../support/file-channel-home.ts';
import { until } from '../../support/hookbell-home.ts';
import { hubTeam } from '../../support/hub-team.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { needs } from '../../support/system-part.ts';

const skip = needsPostgres() || needs('openssl');
const SECRET = `ghp_${'a1B2'.repeat(9)}`;

test(
  'a policy of the hub narrows what a machine shows, sends and notifies, also while the hub is away, until it is removed',
  { skip },
  async () => {
    await using team = await hubTeam();
    const { one, other, certificate } = team;
    const desk = await team.machine();
    const out = join(desk.home, 'out.jsonl');
    await desk.writeConfig(`channels: { local: { type: file, path: ${out} } }
routes: [{ match: {}, notify: [local] }]
redact: { notifications: off }
`);
    await desk.start();
    const code = await team.invite('ada@example.com');
    const words = ['join', one.url, '--code', code, '--name', 'desk', '--certificate', certificate];
    const joined = await desk.cli(...words);
    assert.equal(joined.code, 0, joined.stderr);
    const config = await readFile(desk.paths.config, 'utf8');
    await writeFile(desk.paths.config, config.replace(/relay:\n/, 'relay:\n  ring_here: true\n'));
    await desk.ask('POST /v1/reload');
    let sessions = 0;
    const request = async (): Promise<string> => {
      sessions += 1;
      const command = `deploy ${sessions} --token ${SECRET}`;
      const session = { session_id: `s${sessions}`, tool_input: { command } };
      await desk.hook({ ...permissionRequest, ...session });
      await until(async () => (await team.lines()).length === sessions);
      const [entry] = await desk.ask('GET /v1/history', { query: { limit: '1' } });
      return JSON.stringify(entry);
    };
    const policyAt = async () => (await desk.ask('GET /v1/status')).relay?.policy ?? null;
    await request();
    await until(async () => (await readLines(out)).length === 1);
    assert.match((await readLines(out))[0]?.body ?? '', new RegExp(SECRET));
    assert.equal(await policyAt(), null);

    // Set at one process; the machine gets it from the one it sends an event to.
    const narrowed = await other.cli('hub', 'policy', '--text', 'none', '--redact');
    assert.equal(narrowed.stdout, 'no text from agents, no secrets\n', narrowed.stderr);
    await until(async () => {
      await request();
      return (await policyAt()) !== null;
    });
    await one.killDaemon();
    await desk.killDaemon();
    await desk.start();
    await desk.hook({ ...permissionRequest, session_id: 'away', tool_input: { command: SECRET } });
    await until(async () => (await readLines(out)).some(({ sessionId }) => sessionId === 'away'));
    const away = (await readLines(out)).find(({ sessionId }) => sessionId === 'away');
    assert.doesNotMatch(JSON.stringify(away), /deploy|ghp_/);
    const status = await desk.cli('status');
    assert.match(
      status.stdout,
      /^policy {4}of the hub, set .* ago: no text from agents, no secrets$/m,
    );
    await one.start();
    await until(async () => (await team.lines()).length === sessions + 1);
    sessions += 1;
    // The hub gets no secret either.
    const [stored] = await team.postgres.run(
      "SELECT convert_from(bytes, 'UTF8') AS text FROM payloads ORDER BY event_seq DESC LIMIT 1",
    );
    assert.doesNotMatch(String(stored?.['text']), /ghp_/);

    assert.equal((await one.cli('hub', 'policy', '--channels', 'desktop, terminal')).code, 0);
    await until(async () => (await policyAt())?.channels?.[1] === 'terminal' || !(await request()));
    const before = (await readLines(out)).length;
    assert.match(await request(), /\\"local\\" is not notified: the policy of the hub forbids it/);
    assert.equal((await readLines(out)).length, before);

    const removed = await one.cli('hub', 'policy', '--remove');
    assert.equal(removed.stdout, 'forbids nothing\n');
    await until(async () => (await policyAt())?.channels === undefined || !(await request()));
    await request();
    await until(async () => (await readLines(out)).length > before);
    assert.match((await readLines(out)).at(-1)?.body ?? '', new RegExp(SECRET));

    const audit = JSON.parse((await one.cli('hub', 'audit', '--json')).stdout);
    assert.deepEqual(
      audit
        .filter(({ action }: { readonly action: string }) => action === 'policy')
        .map(({ detail }: { readonly detail: object }) => detail),
      [{}, { channels: ['desktop', 'terminal'] }, { text: 'none', redact: true }],
    );
  },
);

test('"hub policy" refuses what it does not know, and changes nothing', { skip }, async () => {
  await using team = await hubTeam();
  const { one } = team;
  assert.match(
    (await one.cli('hub', 'policy')).stderr,
    /no policy: machines follow their own configuration/,
  );

  for (const [words, reason] of [
    [['--channels', 'desktpo'], /No channel has the type "desktpo", did you mean "desktop"\?/],
    [['--text', 'short'], /Allowed choices are full, summary, none/],
    [['--hub-only', 'digests'], /"digests" is not a report, did you mean "digest"\?/],
    [['--remove', '--redact'], /--remove cannot be combined with other options/],
  ] as const) {
    const refused = await one.cli('hub', 'policy', ...words);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, reason);
  }
  assert.equal(await one.ask('GET /v1/hub-policy'), null);
});

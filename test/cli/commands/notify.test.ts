import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { EventView } from '../../../src/control/contract.ts';
import { isHandMade } from '../../../src/core/hand-made.ts';
import { hookbellHome, projectRoot, until } from '../../support/hookbell-home.ts';
import { runProcess } from '../../support/run-process.ts';

const FILE = (path: string) =>
  `channels: { out: { type: file, path: "${path}" } }\nroutes: [{ match: {}, notify: out }]\n`;

describe('hookbell notify', () => {
  test('says in its own words what a script has to say, as an alert only if it waits', async () => {
    await using place = await hookbellHome();
    await place.writeConfig(FILE(`${place.home}/out.jsonl`));
    await place.start();

    const plain = await place.cli('notify', 'The', 'build *is* done', '--title', 'nas');

    assert.match(plain.stdout, /^event [\w-]+: message\n  out: sent in \d+ ms\n/);
    assert.equal(plain.code, 0);
    const [shown] = await notified(place);
    assert.equal(shown?.title, 'nas');
    assert.equal(shown?.body, 'The build *is* done');
    assert.deepEqual(await place.ask('GET /v1/alerts'), []);
    assert.deepEqual(await place.ask('GET /v1/sessions'), []);
  });

  test('reads standard input, replaces by its key, and opens an alert if it is critical', async () => {
    await using place = await hookbellHome();
    await place.writeConfig(
      `${FILE(`${place.home}/out.jsonl`)}noise: { burst: { at_once: 100 } }\n`,
    );
    await place.start();
    const cli = join(projectRoot, 'dist/program/cli.js');

    for (const input of ['disk 91 %\n', 'disk 95 %\nsda1']) {
      const words = [cli, 'notify', '-', '--key', 'disk', '--urgency', 'critical'];
      const { code, stderr } = await runProcess(process.execPath, words, { env: place.env, input });
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    }

    const [first, second] = await notified(place);
    assert.equal(first?.groupKey, second?.groupKey);
    assert.deepEqual(
      [second?.title, second?.body, second?.severity],
      ['disk 95 %', 'sda1', 'critical'],
    );
    assert.equal((await place.ask('GET /v1/alerts')).length, 1, 'the newer one replaces the older');
  });

  test('--wait ends with 0 once it is acknowledged, and with 124 when no one was in time', async () => {
    await using place = await hookbellHome();
    await place.writeConfig(FILE(`${place.home}/out.jsonl`));
    await place.start();

    const waiting = place.cli('notify', 'Enter the token', '--wait');
    await until(async () => (await place.ask('GET /v1/alerts')).length === 1);
    await place.ask('POST /v1/ack', { body: { all: true } });
    const late = place.cli('notify', 'Still there?', '--wait', '1s');

    assert.deepEqual([(await waiting).code, (await waiting).stderr], [0, 'Acknowledged\n']);
    assert.equal((await late).code, 124);
    assert.equal((await late).stderr, 'No one has acknowledged it in time\n');
  });

  test('--channel and --plan take the place of the routes; a name that does not exist is an error', async () => {
    await using place = await hookbellHome();
    await place.writeConfig(`channels:
  out: { type: file, path: "${place.home}/out.jsonl" }
  other: { type: file, path: "${place.home}/other.jsonl" }
plans: { both: [{ notify: [out, other] }] }
routes: [{ match: {}, notify: out }]
`);
    await place.start();

    const one = await place.cli('notify', 'x', '--channel', 'other');
    const both = await place.cli('notify', 'x', '--plan', 'both');
    const none = await place.cli('notify', 'x', '--channel', 'phone');
    const noPlan = await place.cli('notify', 'x', '--plan', 'constructor');

    assert.match(one.stdout, /\n  other: sent in \d+ ms\n  inbox/);
    assert.match(both.stdout, /\n  out: sent in \d+ ms\n  other: sent/);
    assert.equal(none.code, 6);
    assert.match(none.stderr, /No channel is called "phone"\n {2}Configured channels: out, other/);
    assert.equal(noPlan.code, 1);
    assert.match(noPlan.stdout, /wants the plan "constructor", which does not exist/);
  });

  test('what an agent says with it is marked as a message, and it chooses no channel', async () => {
    await using place = await hookbellHome();
    await place.writeConfig(FILE(`${place.home}/out.jsonl`));
    await place.start();
    const cli = join(projectRoot, 'dist/program/cli.js');
    const env = { ...place.env, CLAUDECODE: '1' };
    const run = (...words: string[]) =>
      runProcess(process.execPath, [cli, 'notify', 'Your password, please', ...words], { env });

    const plain = await run('--title', 'System');
    const chosen = await run('--channel', 'out');
    // As an agent does that removes its variables: the program that has started the shell is left.
    const inside = '"$0" "$@"; exit $?';
    const words = ['-c', 'exec -a claude sh -c "$0" "$@"', inside, process.execPath, cli];
    const hidden = await runProcess('bash', [...words, 'notify', 'x', '--channel', 'out'], place);

    assert.equal(plain.code, 0);
    assert.equal(hidden.code, 2);
    assert.match(hidden.stderr, /An agent runs this/);
    assert.match(
      (await notified(place))[0]?.title ?? '',
      /^[\w-]+ has a message for you · System$/,
    );
    assert.equal(chosen.code, 2);
  });

  test('--detach leaves when it is handed over; without a daemon that can start, the code is 4', async () => {
    await using place = await hookbellHome();

    const detached = await place.cli('notify', 'x', '--detach');
    const absent = await place.cli('notify', 'x');

    assert.deepEqual(detached, { ...detached, code: 0, stdout: '', stderr: '' });
    assert.equal(readdirSync(place.paths.spool).length, 2);
    assert.equal(absent.code, 4);
    assert.match(
      absent.stderr,
      /Cannot reach the daemon: .*\. The event is kept, and handled when/,
    );
  });
});

async function notified({ home }: { readonly home: string }) {
  const lines = (await readFile(join(home, 'out.jsonl'), 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const shown: { title: string; body: string; groupKey: string; severity: string } =
      JSON.parse(line);
    return shown;
  });
}

describe('hookbell trigger', () => {
  test('hands the event in through the real hook and shows where it arrived', async () => {
    await using place = await hookbellHome();
    await place.writeConfig(FILE(`${place.home}/out.jsonl`));
    await place.start();

    const { code, stdout } = await place.cli(
      'notify',
      '--as',
      'Notification',
      '--set',
      'message=needs you',
    );

    assert.match(stdout, /^event [\w-]+: needs\.input\n  out: sent in \d+ ms\n  inbox: sent in /);
    assert.equal(code, 0);
  });

  test('waits for the daemon that the hook starts when none is alive', async () => {
    await using place = await hookbellHome();
    await place.writeConfig(FILE(`${place.home}/out.jsonl`));
    await place.start();
    await place.killDaemon();

    const { code, stdout, stderr } = await place.cli('trigger', 'Stop', '--json');

    assert.equal(stderr, '');
    assert.equal(code, 0);
    const event: EventView = JSON.parse(stdout);
    assert.ok(isHandMade(event.sessionId), 'its session would wait for hours');
    assert.deepEqual(
      event.deliveries.map(({ channel, state }) => `${channel} ${state}`),
      ['out sent', 'inbox sent'],
    );
  });

  test('does not wait for a channel that is paused, and says why', async () => {
    await using place = await hookbellHome();
    await place.writeConfig(
      'channels: { team: { type: command, command: ["false"] } }\nroutes: [{ match: {}, notify: team }]\n',
    );
    await place.start();
    const failures = Array.from({ length: 6 }, (_, number) => `s${number}`);
    for (const session_id of failures) await place.hook({ hook_event_name: 'Stop', session_id });
    await until(async () =>
      (await place.ask('GET /v1/status')).channels.some(({ state }) => state === 'open'),
    );

    const { code, stdout } = await place.cli('trigger', 'Stop');

    assert.match(stdout, /  team: pending: the channel is paused after failures: \S/);
    assert.match(stdout, /  inbox: sent in /);
    assert.equal(code, 0);
  });
});

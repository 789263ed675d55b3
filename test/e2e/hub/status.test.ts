import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { type HookbellHome, projectRoot, until } from '../../support/hookbell-home.ts';
import { hubHomes } from '../../support/hub-homes.ts';
import { needsPostgres } from '../../support/postgres.ts';

const skip = needsPostgres();

test(
  '"hookbell hub status" warns while keys of machines are not sealed',
  { skip, timeout: 120_000 },
  async () => {
    await using team = await hubHomes({ count: 2, config: (index) => SECRETS[index] ?? '' });
    const [plain, sealed] = [team.hubs[0]!, team.hubs[1]!];
    await plain.start();
    const before = await plain.cli('hub', 'status');
    await plain.killDaemon();
    await sealed.start();
    // The server notices a moment later that the other process is gone, which has no secret.
    await until(async () => (await sealed.ask('GET /v1/hub')).warnings.length === 0);
    const after = await sealed.cli('hub', 'status');

    assert.match(before.stderr, /Warning: The keys of machines are not sealed.*"hub\.secret"/);
    assert.deepEqual([before.code, after.code, after.stderr], [0, 0, '']);
  },
);

test(
  'processes that are configured differently say so, until they no longer are',
  { skip, timeout: 120_000 },
  async () => {
    await using team = await hubHomes({ config: (index) => EQUAL[index] ?? '' });
    const [one, other] = [team.hubs[0]!, team.hubs[1]!];
    for (const place of team.hubs) await place.start();
    const warning = /The configuration of this process .* differs .* in hub, working_hours\./;
    const isWarned = async (place: HookbellHome): Promise<boolean> =>
      (await place.ask('GET /v1/hub')).warnings.some((text) => warning.test(text));

    await until(() => isWarned(one));
    await until(() => isWarned(other));
    assert.match((await one.cli('hub', 'status')).stderr, new RegExp(`Warning: ${warning.source}`));
    assert.match((await one.cli('doctor')).stdout, /warnings .* in hub, working_hours/);
    const logged = (await one.cli('logs')).stdout.match(/Raised a warning/g);
    assert.equal(logged?.length, 1);

    const file = one.paths.config;
    const text = await readFile(other.paths.config, 'utf8');
    const own = await readFile(file, 'utf8');
    const [, listen = ''] = /^(listen: .*)$/m.exec(own) ?? [];
    await writeFile(file, text.replace(/^listen: .*$/m, listen));

    await until(async () => !(await isWarned(one)));
    await until(async () => !(await isWarned(other)));
  },
);

test(
  'a machine that only runs a hub needs no hooks for "hookbell doctor", and one with hooks does',
  { skip, timeout: 120_000 },
  async () => {
    await using team = await hubHomes({ count: 1 });
    const hub = team.hubs[0]!;
    await hub.start();

    const alone = await hub.cli('doctor');
    const command = `${projectRoot}/hooks/hookbell-hook --state ${hub.paths.state}`;
    const hooks = { Stop: [{ hooks: [{ type: 'command', command }] }] };
    await mkdir(join(hub.home, '.claude'));
    await writeFile(join(hub.home, '.claude/settings.json'), JSON.stringify({ hooks }));
    const beside = await hub.cli('doctor');

    assert.equal(alone.code, 0, alone.stdout);
    assert.doesNotMatch(alone.stdout, /hookbell install|launch script/);
    assert.match(beside.stdout, /^warning +launch script +no environment was recorded/m);
  },
);

test(
  '"hookbell hub run" beside a daemon says how to go on',
  { skip, timeout: 120_000 },
  async () => {
    await using team = await hubHomes({ count: 1 });
    const hub = team.hubs[0]!;
    await hub.start();

    const { code, stderr } = await hub.cli('hub', 'run');

    assert.equal(code, 1);
    assert.match(stderr, /^hookbell: A daemon is already running\n {2}Run "hookbell stop" first/);
  },
);

const EQUAL = [
  "  groups: { on-call: ['ada@example.com'] }\n",
  "  groups: { on-call: ['ben@example.com'] }\nworking_hours: { from: '08:00', to: '16:00' }\n",
];
const SECRETS = ['', `  secret: ${'s'.repeat(44)}\n`];

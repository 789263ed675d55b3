import assert from 'node:assert/strict';
import { access, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { hookCommandLine } from '../../src/setup/hook-places.ts';
import type { Checkout } from '../support/checkout.ts';
import { copyCheckout } from '../support/checkout.ts';
import type { Line } from '../support/file-channel-home.ts';
import { readLines } from '../support/file-channel-home.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import type { Finished } from '../support/run-process.ts';
import { runProcess } from '../support/run-process.ts';
import { snapshot } from '../support/snapshot.ts';
import { needs } from '../support/system-part.ts';

const skip = needs('git', 'xargs', 'cp');
const settingsOfClaude = '{\n\t"model": "opus",\n\t"hooks": { "Stop": [] }\n}';

/** The five events of the interface. */
const events = [
  { hook_event_name: 'Notification', message: 'needs you' },
  { hook_event_name: 'Stop' },
  { hook_event_name: 'SubagentStop' },
  { hook_event_name: 'PostToolUse', tool_name: 'Bash' },
  { hook_event_name: 'SessionEnd', reason: 'other' },
].map((event) => ({ session_id: 's1', cwd: '/home/dev/shop', ...event }));

interface Machine extends HookbellHome {
  /** Runs the command that was installed. */
  hookbell(...words: readonly string[]): Promise<Finished>;
  /** Runs the hook as the settings of an agent name it: as a line for a shell. */
  registeredHook(line: string, payload: unknown): Promise<Finished>;
  lines(): Promise<readonly Line[]>;
}

/** A home directory of a user of Claude Code and droid. */
async function machine(folder?: string): Promise<Machine> {
  const place = await hookbellHome(folder === undefined ? {} : { folder });
  const { home, env } = place;
  await mkdir(join(home, '.factory'));
  await mkdir(join(home, '.claude'));
  await writeFile(join(home, '.claude/settings.json'), settingsOfClaude);
  return {
    ...place,
    hookbell: (...words) => runProcess(join(home, '.local/bin/hookbell'), words, { env }),
    registeredHook: (line, payload) =>
      runProcess('sh', ['-c', line], { env, input: JSON.stringify(payload) }),
    lines: () => readLines(join(home, 'out.jsonl')),
  };
}

function everythingToFile(home: string): string {
  return `channels: { out: { type: file, path: ${JSON.stringify(join(home, 'out.jsonl'))} } }
routes: [{ match: {}, notify: out }]\n`;
}

/** Without what the daemon goes on writing while it runs. */
function withoutMemory(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !/^\.local\/state\/hookbell\/(?!install\.json)/.test(line));
}

async function hookLines(path: string): Promise<Record<string, string>> {
  const settings: { hooks: Record<string, { hooks: { command: string }[] }[]> } = JSON.parse(
    await readFile(path, 'utf8'),
  );
  return Object.fromEntries(
    Object.entries(settings.hooks).flatMap(([event, entries]) =>
      entries.flatMap(({ hooks }) => hooks.map(({ command }) => [event, command])),
    ),
  );
}

function ok({ code, stdout, stderr }: Finished): string {
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  return stdout;
}

describe('./install.sh', { skip }, () => {
  let checkout: Checkout;
  const install = (place: HookbellHome, ...words: readonly string[]): Promise<Finished> =>
    runProcess(join(checkout.path, 'install.sh'), words, { env: place.env, cwd: '/' });
  /** Without building again. */
  const installBuilt = (place: HookbellHome, ...words: readonly string[]): Promise<Finished> =>
    runProcess(process.execPath, [join(checkout.path, 'dist/program/cli.js'), ...words], {
      env: place.env,
      cwd: '/',
    });
  before(async () => {
    checkout = await copyCheckout();
    // What install.sh builds, the test of "hookbell upgrade" shows.
    await writeFile(join(checkout.path, 'dist/.built'), '');
  });
  after(() => checkout[Symbol.asyncDispose]());

  test('installs, changes nothing when run again, delivers, survives crash and move, and takes everything back', async (t) => {
    await using place = await machine();
    const { home } = place;
    const untouched = await snapshot(home);
    const program = join(home, '.local/share/hookbell/hooks/hookbell-hook');
    const hook = hookCommandLine(program, ['--state', place.paths.state]);

    await t.test('--dry-run writes nothing', async () => {
      const said = ok(await installBuilt(place, 'install', '--yes', '--dry-run'));

      assert.match(said, /\+ hooks +claude: /);
      assert.match(said, /\+ daemon +would run and send a test notification\n/);
      assert.deepEqual(await snapshot(home), untouched);
    });

    await t.test('registers the installed hook with both agents', async () => {
      const said = ok(await install(place, '--yes'));

      assert.match(said, /\+ test +inbox: sent in \d+ ms\n/);
      // B3: the notification leaves neither a session nor an alert behind.
      assert.deepEqual(await place.ask('GET /v1/sessions'), []);
      assert.deepEqual(await place.ask('GET /v1/alerts'), []);
      const [ring] = await place.ask('GET /v1/history');
      assert.match(ring?.title ?? '', /this is a test/);
      assert.match(said, /Restart droid/);
      for (const settings of ['.claude/settings.json', '.factory/settings.json']) {
        const registered = await hookLines(join(home, settings));
        for (const { hook_event_name: event } of events) assert.equal(registered[event], hook);
      }
    });

    await t.test('changes nothing when it runs again', async () => {
      const installed = withoutMemory(await snapshot(home));
      const { pid } = await place.ask('GET /v1/status');

      assert.doesNotMatch(
        ok(await install(place, '--yes')),
        /\+ (program|command|config|hooks|daemon|ring)/,
      );

      assert.deepEqual(withoutMemory(await snapshot(home)), installed);
      assert.equal((await place.ask('GET /v1/status')).pid, pid);
    });

    await t.test('leaves settings alone that it cannot read, and names them', async () => {
      const settings = join(home, '.claude/settings.json');
      const registered = await readFile(settings);
      await writeFile(settings, '{ "model": "opus", // mine\n');

      const { code, stdout } = await installBuilt(place, 'install', '--yes');

      assert.equal(code, 8);
      assert.match(stdout, /! hooks +claude: \S+settings\.json is left alone: .*not valid JSON/);
      assert.equal(await readFile(settings, 'utf8'), '{ "model": "opus", // mine\n');
      assert.match(stdout, /= hooks +droid/);
      await writeFile(settings, registered);
    });

    await t.test('needs its checkout no more', async () => {
      const moved = `${checkout.path}-moved`;
      await rename(checkout.path, moved);
      try {
        ok(await place.hookbell('restart'));
        ok(await place.hookbell('trigger', 'Notification', '--set', 'message=still here'));
      } finally {
        await rename(moved, checkout.path);
      }
    });

    await t.test('each of the five events becomes one line of a file channel', async () => {
      await place.writeConfig(everythingToFile(home));
      await until(async () => (await place.ask('GET /v1/status')).channels[0]?.name === 'out');

      for (const event of events) {
        const { code, stdout, stderr } = await place.registeredHook(hook, event);
        assert.deepEqual([code, stdout, stderr], [0, '', '']);
        await until(async () => (await place.lines()).length === events.indexOf(event) + 1);
      }

      const lines = await place.lines();
      assert.deepEqual(
        lines.map(({ kind }) => kind),
        ['needs.input', 'turn.done', 'subagent.done', 'tool.done', 'session.end'],
      );
      const keys =
        'at channel eventId kind severity sessionId project title body possibleDuplicate';
      for (const line of lines) assert.equal(Object.keys(line).join(' '), keys);
    });

    await t.test('status and history answer in the documented shapes', async () => {
      const status = JSON.parse(ok(await place.hookbell('status', '--json')));
      const [newest, ...older] = JSON.parse(ok(await place.hookbell('history', '--json')));

      assert.deepEqual(fieldsOf(status), listOf(statusFields));
      assert.deepEqual(fieldsOf(newest), listOf(historyFields));
      assert.deepEqual(
        [newest, ...older].slice(0, 5).map(({ event }: { event: string }) => event),
        events.map(({ hook_event_name: event }) => event).toReversed(),
      );
    });

    await t.test('100 events after a crash are all there, once each', async () => {
      const earlier = (await place.lines()).length;
      const wanted = Array.from({ length: 100 }, (_, number) => `claim-${number}.`);

      await place.killDaemon();
      for (const message of wanted) {
        const event = { ...events[0], message };
        assert.equal((await place.registeredHook(hook, event)).code, 0);
      }
      await until(async () => (await place.lines()).length >= earlier + wanted.length);
      // The first notification waits for its desktop for a while, although no configuration names it.
      await until(async () =>
        (await place.ask('GET /v1/queue')).every(({ channel }) => channel !== 'out'),
      );

      const claims = (await place.lines())
        .slice(earlier)
        .map(({ body }) => body.split('\n')[0] ?? '');
      assert.deepEqual(claims.toSorted(), wanted.toSorted());
    });

    await t.test('--uninstall leaves the home as it was, but for what is remembered', async () => {
      const uninstalled = await install(place, '--uninstall', '--yes');
      const said = ok(uninstalled);

      assert.match(said, /kept .*config\.yaml: you changed it/);
      assert.match(
        uninstalled.stderr,
        /To also remove what is kept, run "\S+\/install\.sh --uninstall --purge"/,
      );
      await assert.rejects(place.ask('GET /v1/agents'));
      const kept = /^(\.local|\.local\/state( |\/)|\.config|out\.jsonl)/;
      const left = (await snapshot(home)).filter((line) => !kept.test(line));
      assert.deepEqual(left, untouched);
      await access(place.paths.database);
      await assert.rejects(access(dirname(place.paths.program)));
    });
  });

  test('works in a home whose path holds spaces and quotes, and --purge leaves it exactly as it was', async () => {
    await using place = await machine(`it's "my" $HOME`);
    const untouched = await snapshot(place.home);
    ok(await installBuilt(place, 'install', '--yes'));
    await place.writeConfig(everythingToFile(place.home));
    await until(async () => (await place.ask('GET /v1/status')).channels[0]?.name === 'out');

    const registered = await hookLines(join(place.home, '.claude/settings.json'));
    await place.killDaemon();
    const { code, stderr } = await place.registeredHook(registered['Stop'] ?? '', events[0]);
    await until(async () => (await place.lines()).length === 1);

    assert.deepEqual([code, stderr], [0, '']);
    await rm(join(place.home, 'out.jsonl'));
    ok(await install(place, '--uninstall', '--purge', '--yes'));
    assert.deepEqual(await snapshot(place.home), untouched);
  });

  for (const [name, node, wanted] of [
    ['no Node.js', null, /Node\.js is missing, version 20\.19 or newer is needed\n.*nodejs\.org/],
    [
      'an old Node.js',
      '#!/bin/sh\n[ "$1" = --version ] && echo v18.20.4\nexit 1\n',
      /Node\.js v18\.20\.4 is too old, version 20\.19 or newer is needed\n.*nodejs\.org/,
    ],
  ] as const) {
    test(`with ${name} it says what to do and touches nothing`, async () => {
      await using place = await machine();
      const untouched = await snapshot(place.home);
      await using programs = await hookbellHome();
      for (const program of ['sh', 'dirname', 'sed']) {
        await symlink(`/usr/bin/${program}`, join(programs.home, program));
      }
      if (node !== null) await writeFile(join(programs.home, 'node'), node, { mode: 0o755 });

      const { code, stdout, stderr } = await runProcess(
        '/bin/sh',
        [join(checkout.path, 'install.sh'), '--yes'],
        { env: { ...place.env, PATH: programs.home } },
      );

      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, wanted);
      assert.equal(stderr.trim().split('\n').length, 2);
      assert.deepEqual(await snapshot(place.home), untouched);
    });
  }
});

/** Names of the fields, "outer.inner"; of an array those of its first element. */
function fieldsOf(value: unknown, outer = ''): readonly string[] {
  if (Array.isArray(value)) return fieldsOf(value[0], outer);
  if (typeof value !== 'object' || value === null) return [outer.slice(0, -1)];
  return Object.entries(value)
    .flatMap(([name, inner]) => fieldsOf(inner, `${outer}${name}.`))
    .toSorted();
}

const statusFields = `
api.reason api.state api.until channels.lastOutcome channels.lastReason channels.name channels.notBefore channels.paused channels.state channels.type
config.loadedAt config.ok config.path config.problems deliveries.dead deliveries.pending deliveries.sent
endpoints events heartbeat listen mutes pid quietUntil relay sessions.waiting sessions.working spool.pending spool.quarantined startedAt startedBy version warnings`;

const historyFields = `
agent at called decisions.reason decisions.stage decisions.verdict deliveries.attempts deliveries.channel deliveries.id
deliveries.reason deliveries.sentAt deliveries.sentWith deliveries.state event eventId kind machine project sessionId severity text title`;

function listOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

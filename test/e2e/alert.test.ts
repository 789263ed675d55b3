import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { pretendDesktop } from '../support/pretend-desktop.ts';
import type { DeliveryView } from '../../src/control/contract.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';

const hour = new Date().getUTCHours();

/** Quiet hours that began an hour ago and end at the full hour after `hours`. */
function quietFor(hours: number): string {
  const [from, to] = [hour + 23, hour + 1 + hours].map((one) => `"${one % 24}:00"`);
  return `quiet_hours: { from: ${from}, to: ${to}, timezone: UTC }`;
}

interface AlertSettings {
  /** When the later step comes. */
  readonly later?: string;
  /** Further lines of the configuration. */
  readonly quiet?: string;
}

interface AlertHome extends HookbellHome {
  /** What the desktop did, in order. */
  desktop(): readonly string[];
  /** How many messages the file of the later step holds. */
  later(): Promise<number>;
  question(session: string): Promise<void>;
  /** What waits because of quiet hours. */
  held(): Promise<readonly DeliveryView[]>;
  configure(settings: AlertSettings): Promise<void>;
  /** The states of the deliveries of the oldest event, by channel. */
  states(): Promise<Readonly<Record<string, string>>>;
}

/** Questions go to the desktop immediately and to a file later; nothing else is sent. */
async function alertHome(settings: AlertSettings = {}): Promise<AlertHome> {
  const place = await hookbellHome();
  const desktop = await pretendDesktop(place.home, null);
  place.env['DBUS_SESSION_BUS_ADDRESS'] = desktop.address;
  const configure = ({ later = '1s', quiet = '' }: AlertSettings): Promise<void> =>
    place.writeConfig(`
channels:
  desktop: { type: desktop, backend: dbus }
  log: { type: file, path: ${join(place.home, 'later.jsonl')} }
plans: { escalate: [{ after: 0s, notify: desktop }, { after: ${later}, notify: log }] }
routes: [{ match: { kind: waiting }, plan: escalate }, { match: {}, plan: none }]
presence: { when_watching: ring }
${quiet}
`);
  await configure(settings);
  const linesOf = async (file: string): Promise<readonly string[]> => {
    const text = await readFile(join(place.home, file), 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  };
  return {
    ...place,
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
    },
    configure,
    async held() {
      const pending = await place.ask('GET /v1/queue', { query: { state: 'pending' } });
      return pending.filter(({ heldFor }) => heldFor === 'quiet');
    },
    desktop: () =>
      desktop.notes.map(({ action, id, title }) =>
        action === 'rings' ? `shown ${title}` : `closed ${id}`,
      ),
    // A line that a crash repeated carries the same event, and a mark.
    later: async () =>
      new Set((await linesOf('later.jsonl')).map((line) => /"eventId":"[^"]+/.exec(line)?.[0]))
        .size,
    async question(session) {
      await place.hook({
        session_id: session,
        cwd: '/home/dev/shop',
        hook_event_name: 'Notification',
        message: `Claude needs your permission (${session})`,
      });
    },
    async states() {
      const history = await place.ask('GET /v1/history');
      const deliveries = history.at(-1)?.deliveries ?? [];
      return Object.fromEntries(deliveries.map(({ channel, state }) => [channel, state]));
    },
  };
}

describe('an alert of a session', { concurrency: true }, () => {
  test('without an answer goes on to the later step, once', async () => {
    await using place = await alertHome();
    await place.start();

    await place.question('s1');
    // On a busy machine the first step may take longer than the second one waits.
    await until(async () => {
      const { desktop, log } = await place.states();
      return desktop === 'sent' && log === 'sent';
    });

    assert.equal(place.desktop().length, 1);
    assert.deepEqual(await place.states(), { desktop: 'sent', inbox: 'sent', log: 'sent' });
    assert.equal(await place.later(), 1);
  });

  test('that is answered never reaches the later step, and its pop-up is taken back', async () => {
    await using place = await alertHome({ later: '10m' });
    await place.start();
    await place.question('s1');
    await until(async () => (await place.states())['desktop'] === 'sent');

    await place.hook({
      session_id: 's1',
      cwd: '/home/dev/shop',
      hook_event_name: 'UserPromptSubmit',
      prompt: 'Yes',
    });
    await until(() => place.desktop().length === 2);

    assert.match(place.desktop().join('\n'), /^shown shop .*\nclosed 1$/);
    assert.deepEqual(await place.states(), { desktop: 'sent', inbox: 'sent', log: 'cancelled' });
    assert.deepEqual(await place.ask('GET /v1/alerts'), []);
  });

  test('that a person has seen never reaches the later step, and stays live', async () => {
    await using place = await alertHome({ later: '10m' });
    await place.start();
    await place.question('session-one');
    await until(async () => (await place.states())['desktop'] === 'sent');

    const { count } = await place.ask('POST /v1/ack', { body: { session: 'session' } });

    assert.equal(count, 1);
    assert.deepEqual(await place.states(), { desktop: 'sent', inbox: 'sent', log: 'cancelled' });
    const [alert] = await place.ask('GET /v1/alerts');
    assert.equal(alert?.state, 'acknowledged');
    await assert.rejects(place.ask('POST /v1/ack', { body: { session: 'nobody' } }), {
      name: 'NotFoundError',
    });
  });

  test('that comes while its channel is muted waits, and several are sent in one message', async () => {
    await using place = await alertHome();
    await place.start();
    await place.ask('POST /v1/mutes', { body: { forMs: 600_000, channel: 'desktop' } });
    for (const session of ['s1', 's2', 's3']) await place.question(session);
    await until(async () => (await place.ask('GET /v1/alerts')).length === 3);
    // The inbox disturbs no one, so it does not wait.
    await until(async () => (await place.states())['inbox'] === 'sent');
    // Each waits for a look at the person first, and for the end of the mute then.
    await until(async () => {
      const held = await place.ask('GET /v1/queue', { query: { state: 'pending' } });
      return held.filter(({ heldFor }) => heldFor === 'mute').length === 3;
    });

    assert.deepEqual(place.desktop(), []);
    assert.equal((await place.ask('GET /v1/mutes')).length, 1);
    await place.ask('POST /v1/unmute', { body: { all: true } });
    await until(() => place.desktop().length > 0);
    await until(async () => (await place.states())['desktop'] === 'sent');

    const shown = place.desktop();
    assert.equal(shown.length, 1);
    assert.match(shown[0] ?? '', / · and 2 other sessions$/);
  });

  test('that a person has seen, says "hookbell ack", never reaches the later step', async () => {
    await using place = await alertHome({ later: '10m' });
    await place.start();
    await place.question('s1');
    await until(async () => (await place.states())['desktop'] === 'sent');

    const first = await place.cli('ack');
    const second = await place.cli('ack', 's1');

    await until(() => place.desktop().length === 2);

    assert.equal(place.desktop()[1], 'closed 1', 'the pop-up is taken back (B4)');
    assert.deepEqual(first, { code: 0, stdout: '', stderr: '1 acknowledged\n' });
    assert.equal(second.code, 6);
    assert.deepEqual(await place.states(), { desktop: 'sent', inbox: 'sent', log: 'cancelled' });
  });

  test('that quiet hours hold follows the configuration: held until a new end, sent when they are removed', async () => {
    await using place = await alertHome({ quiet: quietFor(1) });
    await place.start();
    await place.question('s1');
    await until(async () => (await place.held()).length === 1);
    const [before] = await place.held();

    await place.configure({ quiet: quietFor(2) });
    await until(async () => ((await place.held())[0]?.dueAt ?? '') > (before?.dueAt ?? ''));
    const [moved] = await place.held();
    await place.killDaemon();
    await place.configure({});
    await place.start();
    await until(async () => (await place.states())['desktop'] === 'sent');

    const later = Date.parse(moved?.dueAt ?? '') - Date.parse(before?.dueAt ?? '');
    assert.equal(later, 3_600_000);
    assert.equal(place.desktop().length, 1);
    const { decisions } = await place.ask('GET /v1/events', { part: 'last' });
    const ends = decisions.filter(({ reason }) => reason.startsWith('Quiet hours until'));
    assert.equal(ends.length, 2);
  });

  test('is muted on channels there are: "hookbell mute" refuses others', async () => {
    await using place = await alertHome();
    await place.start();

    const { code, stderr } = await place.cli('mute', '1h', '--channel', 'desktpo');

    assert.equal(code, 6);
    assert.match(stderr, /^hookbell: Unknown channel "desktpo", did you mean "desktop"\?\n/);
    assert.deepEqual(await place.ask('GET /v1/mutes'), []);
  });

  test('that comes during "hookbell mute --for" notifies when it is over', async () => {
    await using place = await alertHome({ later: '10m' });
    await place.start();
    const { stdout } = await place.cli('mute', '--for', '4s', '--channel', 'desktop', '--json');
    const mute: { readonly until: string } = JSON.parse(stdout);

    await place.question('s1');
    await until(async () => (await place.states())['desktop'] === 'sent');

    const event = await place.ask('GET /v1/events', { part: 'last' });
    const told = event.deliveries.find(({ channel }) => channel === 'desktop');
    assert.ok(
      event.decisions.some(
        ({ reason }) => reason === `"desktop" is muted until ${mute.until}: held`,
      ),
    );
    assert.ok(Date.parse(told?.sentAt ?? '') >= Date.parse(mute.until));
    assert.equal(place.desktop().length, 1);
  });

  test('that comes during a mute without an end waits, and is sent when that is taken back (B2)', async () => {
    await using place = await alertHome({ later: '10m' });
    await place.start();
    await place.cli('mute', '--forever', '--channel', 'desktop');
    await place.question('s1');
    await until(async () => {
      const held = await place.ask('GET /v1/queue', { query: { state: 'pending' } });
      return held.some(({ channel, heldFor }) => channel === 'desktop' && heldFor === 'mute');
    });

    const status = await place.cli('status');
    const history = await place.cli('history');
    const before = place.desktop();
    await place.cli('mute', 'off');
    await until(() => place.desktop().length === 1);

    const notice = 'Muted: channel desktop until you unmute it ("hookbell mute off" ends it)';
    assert.equal(status.stdout.split('\n')[0], notice);
    assert.equal(history.stderr, `${notice}\n`);
    assert.deepEqual(before, []);
  });

  test('goes on to the later step once although the daemon was killed in between (promise 1)', async () => {
    await using place = await alertHome();
    await place.start();
    await place.question('s1');
    await until(async () => (await place.states())['desktop'] === 'sent');

    await place.killDaemon();
    await place.start();
    await until(async () => (await place.states())['log'] === 'sent');

    assert.equal(await place.later(), 1);
    assert.equal(place.desktop().length, 1);
  });
});

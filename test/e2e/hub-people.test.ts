import assert from 'node:assert/strict';
import test from 'node:test';

import { ME } from '../../src/core/hub/machine-requests.ts';
import { createLink } from '../../src/relay/link.ts';
import { makeToken, readToken } from '../../src/relay/token.ts';
import { fakeTokens, startFakeSlack } from '../support/fake-slack.ts';
import { type HookbellHome, hookbellHome, until } from '../support/hookbell-home.ts';
import { hubHome } from '../support/hub-home.ts';
import { needsPostgres } from '../support/postgres.ts';
import { startFaultySmtp } from '../support/smtp-faults.ts';

const skip = needsPostgres();
const ADA = 'ada@example.com';
const BOB = 'bob@example.com';

/** A session of an agent waits for its person. */
async function ask(place: HookbellHome, session: string): Promise<void> {
  const { code } = await place.hook({
    hook_event_name: 'Notification',
    notification_type: 'permission_prompt',
    session_id: session,
    message: `${session} needs permission`,
    cwd: '/srv/shop',
  });
  assert.equal(code, 0);
}

interface Mail {
  readonly to: readonly string[];
  readonly raw: Uint8Array;
}

/** The mails so far as "ada@example.com: session", in their order. */
function mailsOf(mails: readonly Mail[]): readonly string[] {
  return mails.map(
    ({ to, raw }) =>
      `${to.join()}: ${/(s-\w+) needs permission/.exec(Buffer.from(raw).toString())?.[1]}`,
  );
}

test(
  'a hub notifies the owner of a machine by their settings, then the group in its order, and no colleague',
  { skip, timeout: 170_000 },
  async () => {
    await using smtp = await startFaultySmtp();
    await using slack = await startFakeSlack();
    const channels = `
channels:
  mail: { type: email, to: person, from: hub@example.com, smtp: { host: 127.0.0.1, port: ${smtp.port}, starttls: never }, rate: { burst: 100, every: 1ms } }
  slack: { type: slack, server: "${slack.server}", bot_token: "${fakeTokens.bot}", to: "dm:@person", rate: { burst: 100, every: 1ms } }
noise: { burst: { at_once: 100, window: 1s }, flap: 0s }
plans:
  all:
    - { notify: mail }
    - { after: 6s, notify: slack, to: "group:oncall", each: 10s }
routes: [{ match: { kind: waiting, person: "*@example.com" }, plan: all }]
`;
    await using scene = await hubHome(channels, `  groups: { oncall: [${BOB}, ${ADA}] }`);
    const ada = await scene.join(ADA, 'ada-laptop', 'core');
    const bob = await scene.join(BOB, 'bob-laptop');
    const mails: Mail[] = [];
    const mailed = (): readonly string[] => {
      mails.push(...smtp.takeMails());
      return mailsOf(mails);
    };

    // The owner gets it; then the group in its order, until the session goes on.
    await ask(ada, 's-one');
    await until(() => mailed().length === 1);
    assert.deepEqual(mailed(), [`${ADA}: s-one`]);
    await until(() => slack.posts.length > 0);
    assert.equal(slack.posts[0]?.channel, 'D0U0BOB');
    await ada.hook({ hook_event_name: 'UserPromptSubmit', session_id: 's-one', prompt: 'go on' });
    await until(async () => (await scene.hub.ask('GET /v1/alerts')).length === 0);
    assert.equal(
      slack.posts.some(({ channel }) => channel === 'D0U0ADA'),
      false,
      'the answer came before the second member',
    );

    // The mute is Ada's alone, and set from Ada's machine.
    const muted = await ada.cli('me', 'mute', '1h', '--json');
    assert.equal(muted.code, 0, muted.stderr);
    assert.equal(JSON.parse(muted.stdout).person, ADA);
    await ask(ada, 's-two');
    await ask(bob, 's-three');
    await until(() => mailed().length === 2);
    assert.deepEqual(mailed(), [`${ADA}: s-one`, `${BOB}: s-three`]);
    const shown = await bob.cli('me', '--json');
    assert.deepEqual(JSON.parse(shown.stdout).mutes, []);
    await ada.cli('me', 'unmute');
    await until(() => mailed().length === 3);
    assert.deepEqual(mailed()[2], `${ADA}: s-two`);

    // Ada's channels and quiet hours, in the time zone of Ada's machine.
    const chosen = await ada.cli('me', 'channels', 'slack');
    assert.match(chosen.stdout, /Channels +slack\n/);
    const quiet = await ada.cli('me', 'quiet', '22:00-07:00', '--json');
    const { settings } = JSON.parse(quiet.stdout);
    assert.deepEqual(settings.channels, ['slack'], 'what is not named stays');
    assert.deepEqual([settings.quiet[0].from, settings.quiet[0].to], [1_320, 420]);
    const unknown = await ada.cli('me', 'channels', 'pager');
    assert.match(unknown.stderr, /The hub has no channel "pager".*it has mail, slack/);
    await ada.cli('me', 'quiet', 'none');
    await ask(ada, 's-four');
    await until(async () =>
      (await scene.hub.ask('GET /v1/history')).some(
        ({ sessionId, decisions }) =>
          sessionId === 's-four' &&
          decisions.some(
            ({ reason }) => reason === `"mail" is not notified: "${ADA}" does not want it`,
          ),
      ),
    );

    // Acknowledged at Ada's machine: the hub does not go on to the group.
    const posts = slack.posts.length;
    await ada.cli('me', 'channels', 'mail');
    await ask(ada, 's-five');
    await until(() => mailed().length === 4);
    const acknowledged = await ada.cli('ack', 's-five');
    assert.match(acknowledged.stderr + acknowledged.stdout, /1 acknowledged/);
    const states = async (session: string): Promise<readonly string[]> => {
      const [entry] = (await scene.hub.ask('GET /v1/history')).filter(
        ({ sessionId }) => sessionId === session,
      );
      return (entry?.deliveries ?? [])
        .filter(({ channel }) => channel === 'slack')
        .map(({ state, reason }) => `${state}: ${reason}`);
    };
    assert.deepEqual(await states('s-five'), [
      `cancelled: Acknowledged by ${ADA} at "ada-laptop"`,
      `cancelled: Acknowledged by ${ADA} at "ada-laptop"`,
    ]);
    assert.equal(
      slack.posts.slice(posts).some(({ text }) => text.includes('s-five')),
      false,
    );
    // Another machine cannot acknowledge it: a session of that name is its own.
    await ask(bob, 's-six');
    await until(() => mailed().length === 5);
    await ask(ada, 's-seven');
    await until(() => mailed().length === 6);
    assert.notEqual((await bob.cli('ack', 's-seven')).code, 0);
    await bob.cli('ack', '--all');
    const live = await scene.hub.ask('GET /v1/alerts');
    const stateOf = (name: string) => live.find(({ session }) => session.endsWith(name))?.state;
    assert.equal(stateOf('s-six'), 'acknowledged');
    assert.equal(stateOf('s-seven'), 'open');

    // A person who was removed is not notified, and may no longer ask.
    await scene.postgres.run(`UPDATE people SET removed_at = 1 WHERE email = '${BOB}'`);
    await until(async () => (await bob.cli('me')).code !== 0);
    assert.equal(mailed().length, 6);
  },
);

test(
  'no machine reads or changes the settings of another person',
  { skip, timeout: 120_000 },
  async () => {
    await using scene = await hubHome('channels: { desktop: { type: desktop } }');
    const ada = await scene.join(ADA, 'ada-laptop');
    const bob = await scene.join(BOB, 'bob-laptop');
    await ada.cli('me', 'timezone', 'Asia/Tokyo');
    const ofAda = (): Promise<readonly Record<string, unknown>[]> =>
      scene.postgres.run(`SELECT settings FROM people WHERE email = '${ADA}'`);
    const before = await ofAda();

    // A body cannot name a person: the daemon of the machine refuses it, and so does the hub.
    for (const body of [
      { type: 'show', person: ADA },
      { type: 'set', person: ADA, settings: { timezone: 'UTC' } },
      { type: 'set', settings: { timezone: 'UTC', email: ADA } },
      { type: 'mute', forMs: 1_000, person: ADA },
      { type: 'set', settings: { timezone: "UTC'; UPDATE people SET settings = '{}'; --" } },
    ]) {
      await assert.rejects(bob.ask('POST /v1/me', { body }));
    }
    // Signed with a key that the hub does not know, in the name of Ada's machine.
    const token = readToken(makeToken('ada-laptop', new Uint8Array(32)));
    assert.ok(token);
    const port = Number(
      /127\.0\.0\.1:(\d+)/.exec((await scene.hub.cli('config', 'show')).stdout)?.[1],
    );
    const link = createLink({
      address: { type: 'url', secure: false, host: '127.0.0.1', port },
      certificate: null,
      token,
      outbound: {
        isProxied: () => false,
        authorities: () => undefined,
        tunnel: () => Promise.reject(new Error('No proxy')),
      },
      now: Date.now,
    });
    const reply = await link.ask(ME, { type: 'show' }, AbortSignal.timeout(10_000));
    link.close();
    assert.equal(reply.type, 'refused');

    await bob.cli('me', 'timezone', 'Europe/Berlin');
    await bob.cli('me', 'mute', '--forever');
    assert.deepEqual(await ofAda(), before);
    const { stdout } = await ada.cli('me', '--json');
    assert.deepEqual(JSON.parse(stdout).mutes, []);
    assert.equal(JSON.parse(stdout).settings.timezone, 'Asia/Tokyo');
  },
);

test('"hookbell me" without a hub says what it needs', { timeout: 60_000 }, async () => {
  await using place = await hookbellHome();
  await place.writeConfig('channels: { desktop: { type: desktop } }\n');
  await place.start();

  const { code, stderr } = await place.cli('me');

  assert.notEqual(code, 0);
  assert.match(stderr, /This machine belongs to no hub/);
  assert.match(stderr, /administrator of your hub for an invitation/);
});

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { heldQuestions, permissionRequest, startAsking } from '../support/asking-hook.ts';
import { startDesktopSession } from '../support/desktop-session.ts';
import { type HookbellHome, hookbellHome, until } from '../support/hookbell-home.ts';
import {
  type NotificationServer,
  type NotifyCall,
  startNotificationServer,
} from '../support/notification-server.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const config = `
channels: { desktop: { type: desktop, backend: dbus } }
noise: { burst: { at_once: 50, window: 1s } }
routes: [{ match: {}, notify: [desktop] }]
`;
const ALLOWED = { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } };
const bash = (command: string, fields: object = {}): object => ({
  ...permissionRequest,
  ...fields,
  tool_input: { command },
});
const questionRequest = {
  ...permissionRequest,
  tool_name: 'AskUserQuestion',
  tool_input: {
    questions: [
      {
        question: 'Which database should I use?',
        header: 'Database',
        options: [{ label: 'PostgreSQL' }, { label: 'SQLite' }],
        multiSelect: false,
      },
    ],
  },
};

async function homeOn(
  desktop: Readonly<Record<string, string | undefined>>,
): Promise<HookbellHome> {
  const home = await hookbellHome();
  await home.writeConfig(config);
  for (const [name, value] of Object.entries(desktop)) home.env[name] = value ?? '';
  await home.start();
  return home;
}

/** A daemon on a notification server without a display, whose clicks are the test's. */
async function stage(capabilities: readonly string[] = ['actions', 'body']) {
  const server = await startNotificationServer(capabilities);
  const home = await homeOn({ DBUS_SESSION_BUS_ADDRESS: server.address });
  return {
    server,
    home,
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The key of the action with this label. */
function keyOf({ actions }: NotifyCall, label: string): string {
  const key = actions[actions.indexOf(label) - 1];
  assert.ok(key !== undefined && actions.includes(label), `no "${label}" among ${actions.join()}`);
  return key;
}

function labelsOf({ actions }: NotifyCall): readonly string[] {
  return actions.filter((_, index) => index % 2 === 1);
}

async function decisionOf({ ended }: ReturnType<typeof startAsking>): Promise<unknown> {
  const { code, printed } = await ended;
  assert.equal(code, 0);
  return JSON.parse(printed).hookSpecificOutput;
}

/** A notice appears after this. */
async function notice(server: NotificationServer, title: RegExp): Promise<NotifyCall> {
  await until(() => server.calls.some((call) => title.test(call.title)));
  const call = server.calls.find((one) => title.test(one.title));
  assert.ok(call);
  return call;
}

describe('a pop-up decides a request', { skip: needs('dbus-daemon', 'mkfifo') }, () => {
  test('Allow below the whole request reaches the hook, and the pop-up is withdrawn', async () => {
    await using place = await stage();
    using asking = startAsking(place.home);
    const call = await place.server.nextCall();

    place.server.click(call.id, keyOf(call, 'Allow'));

    assert.equal(call.body, 'Bash\n  command: touch made\n  description: Make a file');
    assert.deepEqual(labelsOf(call), ['Open terminal', 'Allow', 'Deny']);
    assert.deepEqual(await decisionOf(asking), ALLOWED);
    await until(() => !place.server.standing.has(call.id));
    await until(async () => (await place.home.ask('GET /v1/alerts')).length === 0);
    assert.equal(place.server.calls.length, 1, 'a decision that counts needs no further pop-up');
  });

  test('Deny, and words typed into a server that takes text', async () => {
    await using place = await stage(['actions', 'body', 'inline-reply']);
    using first = startAsking(place.home);
    const call = await place.server.nextCall();
    place.server.click(call.id, keyOf(call, 'Deny'));
    const denied = await decisionOf(first);
    using second = startAsking(place.home, bash('touch other', { session_id: 'session-b' }));
    const next = await place.server.nextCall();

    place.server.reply(next.id, 'Use "staging"\nplease');

    assert.deepEqual(denied, {
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'deny', message: 'The user denied this request.' },
    });
    assert.equal(keyOf(next, 'Deny with words'), 'inline-reply');
    assert.deepEqual(await decisionOf(second), {
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'deny', message: 'Use "staging"\nplease' },
    });
  });

  test('a question is answered by the button of an option, or by text', async () => {
    await using place = await stage(['actions', 'body', 'inline-reply']);
    using first = startAsking(place.home, questionRequest);
    const call = await place.server.nextCall();
    place.server.click(call.id, keyOf(call, 'SQLite'));
    const chosen = await decisionOf(first);
    using second = startAsking(place.home, { ...questionRequest, session_id: 'session-b' });
    const next = await place.server.nextCall();
    place.server.reply(next.id, 'DuckDB');
    const typed = await decisionOf(second);

    const { questions } = questionRequest.tool_input;
    const updated = (answer: string): object => ({
      hookEventName: 'PermissionRequest',
      decision: {
        behavior: 'allow',
        updatedInput: { questions, answers: { 'Which database should I use?': answer } },
      },
    });
    assert.deepEqual([chosen, typed], [updated('SQLite'), updated('DuckDB')]);
  });

  test('a click that lost reports who was first, and nothing reaches the hook', async () => {
    await using place = await stage();
    using asking = startAsking(place.home);
    const call = await place.server.nextCall();
    const { tool_name, tool_input } = permissionRequest;
    const ran = { hook_event_name: 'PostToolUse', tool_name, tool_input, tool_response: {} };
    await place.home.hook({ ...permissionRequest, ...ran });
    await until(async () => (await place.home.ask('GET /v1/questions')).length === 0);

    place.server.click(call.id, keyOf(call, 'Allow'));

    const lost = await notice(place.server, /^Answered in the terminal at \d\d:\d\d$/);
    assert.match(lost.body, /^Your decision was not used\./);
    assert.deepEqual(await asking.ended, { code: 0, printed: '' });
  });

  test('of two clicks the second gets the channel and the time of the first', async () => {
    await using place = await stage(['actions', 'body', 'inline-reply']);
    using asking = startAsking(place.home);
    const call = await place.server.nextCall();

    place.server.reply(call.id, 'First');
    await asking.ended;
    place.server.click(call.id, keyOf(call, 'Allow'));

    await notice(place.server, /^Denied at \d\d:\d\d by .+ \(pop-up\)$/);
    assert.match((await asking.ended).printed, /"deny","message":"First"/);
  });

  test('a click decides the request that it was about, also when another one comes up meanwhile', async () => {
    await using place = await stage();
    using first = startAsking(place.home);
    const call = await place.server.nextCall();
    using second = startAsking(place.home, bash('rm -rf other', { agent_id: undefined }));
    const next = await place.server.nextCall();

    place.server.click(next.id, keyOf(call, 'Allow'));

    assert.notEqual(next.id, call.id, 'a pop-up with buttons took the place of another one');
    assert.deepEqual(await decisionOf(first), ALLOWED);
    await until(() => !place.server.standing.has(call.id));
    assert.equal(second.hook.exitCode, null);
  });

  test('the pop-up of a request stays while a newer one waits beside it, and goes when the terminal answers it', async () => {
    await using place = await stage();
    using first = startAsking(place.home);
    const call = await place.server.nextCall();
    using second = startAsking(place.home, bash('touch other', { agent_id: undefined }));
    const next = await place.server.nextCall();
    await until(async () => (await place.home.ask('GET /v1/questions')).length === 2);
    const ran = { hook_event_name: 'PostToolUse', tool_response: {} };

    await place.home.hook({ ...permissionRequest, ...ran });

    assert.deepEqual(await first.ended, { code: 0, printed: '' });
    await until(() => !place.server.standing.has(call.id));
    assert.ok(place.server.standing.has(next.id), 'the pop-up of the newer one is gone');
    place.server.click(next.id, keyOf(next, 'Allow'));
    assert.deepEqual(await decisionOf(second), ALLOWED);
  });

  test('offers only Deny for a long, a redacted and a hidden request, and on a server without texts', async () => {
    await using place = await stage();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const requests = [
      bash('x'.repeat(700), { session_id: 'long' }),
      bash(`curl -H "Authorization: Bearer ${token}" x`, { session_id: 'secret' }),
      bash('echo a\u202eb', { session_id: 'hidden' }),
    ];
    for (const payload of requests) {
      using asking = startAsking(place.home, payload);
      const call = await place.server.nextCall();
      assert.deepEqual(labelsOf(call), ['Open terminal', 'Deny']);
      assert.ok(!call.body.includes(token));
      place.server.click(call.id, keyOf(call, 'Deny'));
      assert.match((await asking.ended).printed, /"behavior":"deny"/);
    }
    await using bare = await stage(['actions']);
    using _ = startAsking(bare.home);
    assert.deepEqual(labelsOf(await bare.server.nextCall()), ['Open terminal', 'Deny']);
    await using brief = await stage();
    await brief.home.writeConfig(config.replace('backend: dbus', 'backend: dbus, body: none'));
    await brief.home.ask('POST /v1/reload');
    using __ = startAsking(brief.home);
    const call = await brief.server.nextCall();
    assert.deepEqual(labelsOf(call), ['Open terminal', 'Deny']);
    assert.ok(!call.body.includes('touch made'));
  });

  test('a click on a pop-up of a killed daemon reports that its time is over, and allows nothing', async () => {
    await using place = await stage();
    using asking = startAsking(place.home);
    const call = await place.server.nextCall();
    await until(async () => {
      const [event] = await place.home.ask('GET /v1/history');
      return event?.deliveries.every(({ state }) => state === 'sent') === true;
    });
    await place.home.killDaemon();
    assert.deepEqual(await asking.ended, { code: 0, printed: '' });
    await place.home.start();

    await until(() => {
      place.server.click(call.id, keyOf(call, 'Allow'));
      return place.server.calls.some(({ title }) => /^The daemon ended at \d\d:\d\d/.test(title));
    });
  });

  test(
    'on dunst a real choice of Allow from its menu is the decision that the hook prints',
    { skip: needs('dunst', 'dunstctl', 'Xvfb', 'gdbus', 'xdotool'), timeout: 60_000 },
    async () => {
      await using folder = await temporaryDirectory();
      const menu = join(folder.path, 'menu');
      await writeFile(menu, '#!/bin/sh\ngrep Allow\n', { mode: 0o700 });
      await using session = await startDesktopSession('dunst', {
        dunstrc: `[global]\n  dmenu = ${menu}\n  mouse_left_click = context\n`,
      });
      await using home = await homeOn({
        DISPLAY: session.env['DISPLAY'],
        DBUS_SESSION_BUS_ADDRESS: session.env['DBUS_SESSION_BUS_ADDRESS'],
      });
      using asking = startAsking(home);
      await heldQuestions(home);
      await session.popUps(1);

      await session.press('1');

      assert.deepEqual(await decisionOf(asking), ALLOWED);
      await session.popUps(0);
    },
  );

  test(
    'on xfce4-notifyd a real click on Allow is the decision that the hook prints',
    { skip: needs('Xvfb', 'gdbus', 'xdotool'), timeout: 60_000 },
    async () => {
      await using session = await startDesktopSession('xfce4-notifyd');
      await using home = await homeOn({
        DISPLAY: session.env['DISPLAY'],
        DBUS_SESSION_BUS_ADDRESS: session.env['DBUS_SESSION_BUS_ADDRESS'],
      });
      using asking = startAsking(home);
      await heldQuestions(home);
      await session.popUps(1);
      // Three buttons: to open the terminal, Allow and Deny.
      await session.press('1', 184);

      assert.deepEqual(await decisionOf(asking), ALLOWED);
      await session.popUps(0);
    },
  );
});

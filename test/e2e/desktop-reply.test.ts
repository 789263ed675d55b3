import assert from 'node:assert/strict';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { startBrowser } from '../support/browser.ts';
import { commandLines } from '../support/command-lines.ts';
import { startDesktopSession } from '../support/desktop-session.ts';
import { until } from '../support/hookbell-home.ts';
import type { NotificationServer, NotifyCall } from '../support/notification-server.ts';
import { startNotificationServer } from '../support/notification-server.ts';
import { createRecorder } from '../support/recorder.ts';
import type { Recorder } from '../support/recorder.ts';
import type { ReplyPageHome, ReplyPageHomeOptions } from '../support/reply-page-home.ts';
import { askPage, postForm, replyPageHome } from '../support/reply-page-home.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const skip = needs('dbus-daemon');
const TEXT = 'Take the second plan, & mind <the> tests "$(now)"';
const LINK = /http:\/\/127\.0\.0\.1:\d+\/reply\/([\w-]{43})/;

/** A desktop that opens pages by a program which notes what it is given, keeps a copy of the file, and stays to the end of the test. */
async function openerHere(): Promise<Recorder> {
  const recorder = await createRecorder();
  const keep = 'cat "$1" > "$0.page"; stat -c %a "$1" > "$0.mode"';
  const stay = 'while [ -e "$0" ]; do sleep 0.1; done';
  await recorder.add('xdg-open', { script: `${keep}; ${stay}` });
  return recorder;
}

interface Asked extends AsyncDisposable {
  readonly home: ReplyPageHome;
  readonly server: NotificationServer;
  readonly opener: Recorder;
  /** The pop-up of the question. */
  readonly call: NotifyCall;
}

function isAsked({ body }: NotifyCall): boolean {
  return body.includes('Which of the two plans?');
}

/** A question on a desktop whose notification server can do `capabilities`. */
async function asked(
  capabilities: readonly string[],
  options: ReplyPageHomeOptions = {},
): Promise<Asked> {
  const [server, opener] = await Promise.all([startNotificationServer(capabilities), openerHere()]);
  const home = await replyPageHome({
    notify: 'desktop',
    desktop: {
      DBUS_SESSION_BUS_ADDRESS: server.address,
      PATH: `${opener.directory}:${process.env['PATH']}`,
    },
    ...options,
  });
  await home.ask('Which of the two plans?');
  await until(() => server.calls.some(isAsked));
  const call = server.calls.find(isAsked);
  assert.ok(call);
  return {
    home,
    server,
    opener,
    call,
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await opener[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function isAcknowledged({ place }: ReplyPageHome): Promise<boolean> {
  return (await place.ask('GET /v1/alerts'))[0]?.state === 'acknowledged';
}

async function redirectFiles({ place }: ReplyPageHome): Promise<readonly string[]> {
  return (await readdir(place.paths.runtime)).filter((name) => name.endsWith('.html'));
}

test(
  'the button of a pop-up opens the page by a file of its owner alone, which is gone once the page was seen (T12)',
  { skip, timeout: 60_000 },
  async () => {
    await using stage = await asked(['actions', 'body']);
    const { home, server, opener, call } = stage;

    server.click(call.id, 'reply');
    const run = await opener.reached('xdg-open', 1);
    await until(() => opener.read('xdg-open.mode') !== '');
    const [link = '', token = 'no token'] = LINK.exec(opener.read('xdg-open.page')) ?? [];
    const lines = [...(await commandLines()).values()].join('\n');
    const before = await redirectFiles(home);
    const { status } = await askPage(link);
    const after = await redirectFiles(home);
    const { body } = await postForm(link, TEXT);

    assert.deepEqual(call.actions, ['default', 'Open terminal', 'reply', 'Reply']);
    assert.deepEqual(
      run.arguments,
      before.map((name) => join(home.place.paths.runtime, name)),
    );
    assert.equal(opener.read('xdg-open.mode'), '600\n');
    // It is being opened right now, and every user can see the command.
    assert.ok(lines.includes(before[0] ?? 'no file'));
    assert.ok(!lines.includes(token));
    assert.ok(!run.env.join('\n').includes(token));
    assert.deepEqual([before.length, status, after.length], [1, 200, 0]);
    assert.match(body, /Sent/);
    assert.equal(home.arrived(TEXT), 1);
    await until(() => isAcknowledged(home));
  },
);

test(
  'a daemon removes such a file when it starts, where the one before was killed',
  { skip, timeout: 60_000 },
  async () => {
    await using stage = await asked(['actions', 'body']);
    const { home, server, opener, call } = stage;
    server.click(call.id, 'reply');
    await opener.reached('xdg-open', 1);

    await home.place.killDaemon();
    const left = await redirectFiles(home);
    await home.place.start();

    assert.equal(left.length, 1);
    assert.deepEqual(await redirectFiles(home), []);
  },
);

test(
  'a real browser is led from the file to the page',
  { skip: skip || needs('chromium'), timeout: 60_000 },
  async () => {
    await using stage = await asked(['actions', 'body']);
    const { home, server, opener, call } = stage;
    server.click(call.id, 'reply');
    const [file = ''] = (await opener.reached('xdg-open', 1)).arguments;
    await using browser = await startBrowser();

    await browser.open(`file://${file}`);
    await until(async () =>
      (await browser.read('document.body?.innerText ?? ""')).includes('Which of the two plans?'),
    );
    await browser.type(TEXT);
    await browser.click('button');

    // The click returns before the answer's page is there.
    const text = (): Promise<string> => browser.read('document.body?.innerText ?? ""');
    await until(async () => (await text()).startsWith('Sent'));
    assert.equal(home.arrived(TEXT), 1);
  },
);

test('a person is notified where no browser can be opened', { skip, timeout: 60_000 }, async () => {
  await using stage = await asked(['actions', 'body']);
  const { server, opener, call } = stage;
  await opener.add('xdg-open', { script: 'exit 3' });

  server.click(call.id, 'reply');
  await until(() => server.calls.some(({ title }) => title === 'Cannot open the reply page'));

  assert.match(server.calls.at(-1)?.body ?? '', /^xdg-open ended with 3\nAnswer with "hookbell/);
});

test(
  'an answer typed into the pop-up reaches the agent once, and a second pop-up says so',
  { skip, timeout: 60_000 },
  async () => {
    await using stage = await asked(['actions', 'body', 'inline-reply']);
    const { home, server, call } = stage;

    await until(() => {
      server.reply(call.id, TEXT);
      return home.arrived(TEXT) > 0;
    });
    server.reply(call.id, TEXT);
    server.dismiss(call.id);
    await until(() => server.calls.some(({ title }) => title === 'Your answer was sent'));

    const receipt = server.calls.at(-1);
    assert.match(receipt?.body ?? '', /^Verified: the session has your exact text\./);
    assert.deepEqual(receipt?.actions, ['default', 'Open terminal']);
    assert.equal(home.arrived(TEXT), 1);
    await until(() => isAcknowledged(home));
    const [question] = await home.place.ask('GET /v1/history');
    const by = 'Acknowledged by an answer on channel "desktop"';
    assert.ok(question?.decisions.some(({ reason }) => reason === by));
  },
);

for (const [name, renew] of [
  [
    'daemon, after one that was killed',
    async ({ place }: ReplyPageHome) => {
      await place.killDaemon();
      await place.start();
    },
  ],
  [
    'configuration in force',
    async ({ place }: ReplyPageHome) => {
      const config = await readFile(place.paths.config, 'utf8');
      await place.writeConfig(config.replace('backend: dbus', '$&, sound: false'));
      await place.ask('POST /v1/reload');
    },
  ],
] as const) {
  test(
    `an answer typed into a pop-up that is older than the ${name} reaches the agent once`,
    { skip, timeout: 60_000 },
    async () => {
      await using stage = await asked(['actions', 'body', 'inline-reply']);
      const { home, server, call } = stage;
      await until(async () => {
        const [question] = await home.place.ask('GET /v1/history');
        return question?.deliveries.every(({ state }) => state === 'sent') === true;
      });

      await renew(home);
      await until(() => {
        server.reply(call.id, TEXT);
        return home.arrived(TEXT) > 0;
      });
      server.reply(call.id, TEXT);
      await until(() => server.calls.some(({ title }) => title === 'Your answer was sent'));

      assert.equal(home.arrived(TEXT), 1);
      await until(() => isAcknowledged(home));
    },
  );
}

test(
  'a question takes one answer, by the pop-up or by the link in Slack, and no second one whatever it says',
  { skip, timeout: 60_000 },
  async () => {
    await using stage = await asked(['actions', 'body', 'inline-reply'], {
      notify: 'desktop, team',
    });
    const { home, server, call } = stage;
    const slackLink = async (question: string): Promise<string> => {
      const found = (): string | undefined =>
        LINK.exec(home.slack.requests.find(({ body }) => body.includes(question))?.body ?? '')?.[0];
      await until(() => found() !== undefined);
      return found() ?? '';
    };
    const link = await slackLink('Which of the two plans?');

    await until(() => {
      server.reply(call.id, TEXT);
      return server.calls.some(({ title }) => title === 'Your answer was sent');
    });
    const same = await postForm(link, TEXT);
    const different = await postForm(link, 'Take none');
    await home.ask('And which of the tests?');
    const next = await slackLink('And which of the tests?');
    const second = (): number =>
      server.calls.find(({ body }) => body.includes('And which of the tests?'))?.id ?? 0;
    await until(() => second() !== 0);
    const { status } = await postForm(next, 'All of them');
    await until(() => {
      server.reply(second(), 'None of them');
      return server.calls.some(({ title }) => title === 'Your answer was not sent');
    });

    assert.deepEqual([same.status, different.status, status], [410, 410, 200]);
    assert.match(different.body, /Already answered[^]*readonly>Take none</);
    const told = server.calls.at(-1)?.body ?? '';
    const path = /^Your text is saved in "([^"]+)"\nThis was already answered/.exec(told)?.[1];
    assert.equal(await readFile(path ?? 'no path', 'utf8'), 'None of them');
    const texts = [TEXT, 'Take none', 'All of them', 'None of them'];
    assert.deepEqual(
      texts.map((text) => home.arrived(text)),
      [1, 0, 1, 0],
    );
  },
);

for (const text of ["'; rm -rf / #", '$(touch x)\u0007\u001b[31m', '<b>&amp;</b>\n--help\n%s']) {
  test(
    `an answer is sent as it was typed, such as ${JSON.stringify(text)} (T5, T7)`,
    { skip, timeout: 60_000 },
    async () => {
      await using stage = await asked(['actions', 'body', 'inline-reply']);
      const { home, server, call } = stage;

      await until(() => {
        server.reply(call.id, text);
        return server.calls.some(({ title }) => title === 'Your answer was sent');
      });

      assert.equal(home.arrived(text), 1);
      const lines = [...(await commandLines()).values()];
      assert.ok(!lines.some((line) => line.includes(text)));
    },
  );
}

test(
  'an answer that cannot be sent is kept where the pop-up says, for its owner alone',
  { skip, timeout: 60_000 },
  async () => {
    await using stage = await asked(['actions', 'body', 'inline-reply']);
    const { home, server, call } = stage;
    home.mock.fault({ match: { method: 'POST' }, effect: { kind: 'status', status: 404 } });

    await until(() => {
      server.reply(call.id, TEXT);
      return server.calls.some(({ title }) => title === 'Your answer was not sent');
    });

    const told = server.calls.at(-1);
    const path = /^Your text is saved in "([^"]+)"\n.*404/.exec(told?.body ?? '')?.[1] ?? '';
    assert.equal(await readFile(path, 'utf8'), TEXT);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal(told?.hints['urgency'], 2);
    assert.equal(home.arrived(TEXT), 0);
  },
);

test(
  'nothing is offered where no page is configured, nor to a server without actions',
  { skip, timeout: 60_000 },
  async () => {
    await using unconfigured = await asked(['actions', 'body', 'inline-reply'], { page: () => '' });
    await using unable = await asked(['body', 'inline-reply']);

    assert.deepEqual(unconfigured.call.actions, ['default', 'Open terminal']);
    assert.deepEqual(unable.call.actions, []);
  },
);

test(
  'on dunst a real choice of the button opens the page',
  {
    skip: skip || needs('dunst', 'dunstctl', 'Xvfb', 'gdbus'),
    timeout: 60_000,
  },
  async () => {
    await using folder = await temporaryDirectory();
    const menu = join(folder.path, 'menu');
    await writeFile(menu, '#!/bin/sh\ngrep Reply\n', { mode: 0o700 });
    await using session = await startDesktopSession('dunst', {
      dunstrc: `[global]\n  dmenu = ${menu}\n`,
    });
    await using opener = await openerHere();
    await using home = await replyPageHome({
      notify: 'desktop',
      desktop: {
        DISPLAY: session.env['DISPLAY'],
        DBUS_SESSION_BUS_ADDRESS: session.env['DBUS_SESSION_BUS_ADDRESS'],
        PATH: `${opener.directory}:${process.env['PATH']}`,
      },
    });
    await home.ask('Which of the two plans?');
    await until(async () => {
      const [asking] = await home.place.ask('GET /v1/alerts');
      const [question] = await home.place.ask('GET /v1/history');
      const isSent = question?.deliveries.every(({ state }) => state === 'sent') === true;
      return asking !== undefined && isSent;
    });
    await session.popUps(1);

    await session.run('dunstctl', 'context');
    await until(() => opener.read('xdg-open.mode') !== '');
    const [link = ''] = LINK.exec(opener.read('xdg-open.page')) ?? [];
    await postForm(link, TEXT);

    assert.equal(home.arrived(TEXT), 1);
    await until(() => isAcknowledged(home));
  },
);

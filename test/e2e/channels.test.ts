import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import PostalMime from 'postal-mime';

import type { NotificationDocument } from '../../src/channels/support/notification-document.ts';
import type { ChannelStateView, DeliveryView, HistoryView } from '../../src/control/contract.ts';
import { startDesktopSession } from '../support/desktop-session.ts';
import { dunstHistory } from '../support/dunst-history.ts';
import { needsExim, startExim } from '../support/exim.ts';
import { readLines } from '../support/file-channel-home.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import { startNotificationServer } from '../support/notification-server.ts';
import { needs } from '../support/system-part.ts';

const message = 'Claude needs your permission to use Bash';
const title = 'shop needs permission';

/** One question of Claude Code, through the real hook. */
async function ask(place: HookbellHome, session: string, text = message): Promise<void> {
  const { code, stdout, stderr } = await place.hook(
    {
      session_id: session,
      cwd: '/home/dev/shop',
      hook_event_name: 'Notification',
      notification_type: 'permission_prompt',
      message: text,
    },
    ['--agent', 'claude'],
  );
  assert.deepEqual([code, stdout, stderr], [0, '', '']);
}

/** Everything goes to these channels, given in YAML, and simultaneous events are not combined. */
async function tellEverybody(
  place: HookbellHome,
  channels: Readonly<Record<string, string>>,
): Promise<void> {
  const lines = Object.entries(channels).map(([name, options]) => `  ${name}: ${options}\n`);
  const names = Object.keys(channels).join(', ');
  await place.writeConfig(
    `channels:\n${lines.join('')}routes: [{ match: {}, notify: [${names}] }]\nnoise: { burst: { at_once: 10 } }\n`,
  );
}

/** What a reading command prints with --json. */
async function read<Answer>(place: HookbellHome, ...words: readonly string[]): Promise<Answer> {
  const { code, stdout, stderr } = await place.cli(...words, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

function statesOf(event: HistoryView | undefined): Readonly<Record<string, string>> {
  const deliveries = event?.deliveries ?? [];
  return Object.fromEntries(
    deliveries.map(({ channel, state, attempts }) => [channel, `${state} ${attempts}`]),
  );
}

const desktopTools = ['dbus-daemon', 'gdbus', 'Xvfb', 'import', 'dunst', 'dunstctl'];

test(
  'one Notification reaches desktop, Slack, mail, webhook, command and file, once each, in one run',
  { skip: needs(...desktopTools) || needsExim(), timeout: 90_000 },
  async () => {
    await using session = await startDesktopSession('dunst');
    await using exim = await startExim();
    await using slack = await openHttpEndpoint();
    await using webhook = await openHttpEndpoint();
    await using place = await hookbellHome();
    const { DISPLAY = '', DBUS_SESSION_BUS_ADDRESS = '' } = session.env;
    Object.assign(place.env, { DISPLAY, DBUS_SESSION_BUS_ADDRESS });
    const secret = `whsec_${Buffer.from('a key of 24 bytes, known').toString('base64')}`;
    await tellEverybody(place, {
      desktop: '{ type: desktop }',
      team: `{ type: slack, webhook: "${slack.url}/services/T0/B0/x", allow_any_host: true }`,
      mail: `{ type: email, to: [me@x.test], from: robot@x.test, smtp: { host: 127.0.0.1, port: ${exim.port}, ca_file: ${exim.certificate}, servername: localhost, user: robot, password: s3cret } }`,
      hook: `{ type: webhook, url: "${webhook.url}/in", secret: "${secret}", allow_http: true, allow_private: true }`,
      run: `{ type: command, command: [sh, -c, "cat >> ${place.home}/run.jsonl"] }`,
      out: `{ type: file, path: ${place.home}/out.jsonl }`,
    });
    await place.start();

    await ask(place, 'session-one');
    await session.popUps(1);
    const [mail] = await exim.mails(1);
    await until(async () => {
      const { deliveries } = await place.ask('GET /v1/status');
      return deliveries.sent === 7 && deliveries.pending === 0;
    });

    assert.ok((await stat(await session.screenshot('all-channels'))).size > 1_000);
    const [popUp, ...morePopUps] = await dunstHistory(session);
    assert.equal(popUp?.title, title);
    assert.match(popUp?.body ?? '', new RegExp(message));
    assert.deepEqual(morePopUps, []);

    assert.equal(slack.requests.length, 1);
    assert.equal(slack.requests[0]?.path, '/services/T0/B0/x');
    const posted: { readonly text: string; readonly blocks: readonly unknown[] } = JSON.parse(
      slack.requests[0]?.body ?? '',
    );
    // This server is not Slack's own: signs of Markdown are escaped in the text.
    const text = posted.text.replaceAll(/[\u2060\\]/g, '');
    assert.equal(text.split('\n')[0], title);
    assert.match(text, new RegExp(message));
    assert.deepEqual(posted.blocks[0], {
      type: 'header',
      text: { type: 'plain_text', text: title, emoji: false },
    });
    assert.match(JSON.stringify(posted.blocks.at(-1)), /"claude".*"session-one"/);

    assert.equal(webhook.requests.length, 1);
    const { headers, body } = webhook.requests[0] ?? assert.fail('The webhook got nothing');
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const key = Buffer.from('a key of 24 bytes, known');
    const signature = createHmac('sha256', key).update(signed).digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${signature}`);
    const sent: NotificationDocument = JSON.parse(body);
    assert.equal(sent.kind, 'needs.permission');
    assert.equal(sent.agent, 'claude');
    assert.equal(sent.project, 'shop');
    assert.equal(sent.session.id, 'session-one');
    assert.equal(sent.title, title);
    assert.match(sent.body, new RegExp(message));

    // A second document would make it two lines, which are not valid JSON.
    const ran: NotificationDocument = JSON.parse(
      await readFile(join(place.home, 'run.jsonl'), 'utf8'),
    );
    assert.notEqual(ran.id, sent.id);
    assert.deepEqual({ ...ran, id: '' }, { ...sent, id: '' });

    const written = await readLines(join(place.home, 'out.jsonl'));
    assert.equal(written.length, 1);
    assert.equal(written[0]?.title, title);
    assert.equal(written[0]?.project, 'shop');
    assert.equal(written[0]?.sessionId, 'session-one');
    assert.match(written[0]?.body ?? '', new RegExp(message));

    const parsed = await PostalMime.parse(mail ?? '');
    const header = (name: string) => parsed.headers.find((one) => one.key === name)?.value;
    assert.equal(parsed.subject, title);
    assert.match(parsed.text ?? '', new RegExp(message));
    assert.match(parsed.text ?? '', /shop/);
    assert.match(header('references') ?? '', /^<session-[\da-f]{32}@hookbell\.invalid>$/);
    assert.equal(header('in-reply-to'), header('references'));
    assert.equal(header('auto-submitted'), 'auto-generated');
    assert.equal((await exim.mails(1)).length, 1);

    const [event, ...moreEvents] = await read<readonly HistoryView[]>(place, 'history');
    assert.deepEqual(moreEvents, []);
    assert.deepEqual(statesOf(event), {
      desktop: 'sent 1',
      team: 'sent 1',
      mail: 'sent 1',
      hook: 'sent 1',
      run: 'sent 1',
      out: 'sent 1',
      inbox: 'sent 1',
    });
    const mailed = event?.deliveries.find(({ channel }) => channel === 'mail');
    assert.equal(header('message-id'), `<${mailed?.id}@hookbell.invalid>`);
  },
);

describe('a channel in trouble', () => {
  test(
    'Slack that never answers does not delay the desktop (fault 39)',
    { skip: needs('dbus-daemon'), timeout: 60_000 },
    async () => {
      await using desk = await startNotificationServer();
      await using slack = await openHttpEndpoint();
      slack.answer('silence');
      await using place = await hookbellHome();
      place.env['DBUS_SESSION_BUS_ADDRESS'] = desk.address;
      await tellEverybody(place, {
        team: `{ type: slack, webhook: "${slack.url}/x", allow_any_host: true, timeout: 60s }`,
        desktop: '{ type: desktop, backend: dbus }',
      });
      await place.start();

      const reached = slack.nextRequest();
      await ask(place, 's1', 'the first question');
      await reached;
      const gaveUp = slack.untilDisconnected().then(() => 'Slack gave up first' as const);
      await ask(place, 's2', 'the second question');
      const bodies: string[] = [];
      for (const _ of ['s1', 's2']) {
        const call = await Promise.race([desk.nextCall(), gaveUp]);
        if (typeof call === 'string') assert.fail(call);
        bodies.push(call.body);
      }

      assert.match(bodies[0] ?? '', /the first question/);
      assert.match(bodies[1] ?? '', /the second question/);
      assert.equal(slack.requests.length, 1);
      const left = await read<readonly DeliveryView[]>(place, 'queue', 'list');
      assert.equal(left.filter(({ channel }) => channel === 'team').length, 2);
    },
  );

  test(
    'a 429 with Retry-After makes the whole channel wait, also after SIGKILL and a new start (fault 28)',
    { timeout: 60_000 },
    async () => {
      await using slack = await openHttpEndpoint();
      slack.answer({ status: 429, headers: { 'retry-after': '8' } }, { status: 200, body: 'ok' });
      await using place = await hookbellHome();
      const out = join(place.home, 'out.jsonl');
      await tellEverybody(place, {
        team: `{ type: slack, webhook: "${slack.url}/x", allow_any_host: true }`,
        out: `{ type: file, path: ${out} }`,
      });
      await place.start();
      const notBefore = async (): Promise<string | null> => {
        const status = await read<{ readonly channels: readonly ChannelStateView[] }>(
          place,
          'status',
        );
        return status.channels.find(({ name }) => name === 'team')?.notBefore ?? null;
      };

      await ask(place, 's1', 'claim-1');
      await until(async () => (await notBefore()) !== null);
      const wanted = await notBefore();
      for (const number of [2, 3]) await ask(place, `s${number}`, `claim-${number}`);
      await until(async () => (await readLines(out)).length === 3);
      await place.killDaemon();
      const next = slack.nextRequest().then(() => Date.now());
      const before = slack.requests.length;
      await place.start();
      const after = await notBefore();
      const cameAt = await next;
      await until(async () => (await place.ask('GET /v1/status')).deliveries.pending === 0);

      assert.equal(before, 1);
      assert.equal(after, wanted);
      assert.ok(cameAt >= Date.parse(wanted ?? ''), `${cameAt} is before ${wanted}`);
      // Events that arrived during the pause are sent together.
      const claims = slack.requests
        .slice(1)
        .map(({ body }) => [...new Set(body.match(/claim-\d/g))]);
      assert.deepEqual(claims, [['claim-1'], ['claim-2', 'claim-3']]);
    },
  );

  test('all of them down: status, queue and history still show the event and why (fault 36)', async () => {
    const gone = await openHttpEndpoint();
    await gone[Symbol.asyncDispose]();
    await using place = await hookbellHome();
    place.env['DBUS_SESSION_BUS_ADDRESS'] = `unix:path=${place.home}/no-bus`;
    await tellEverybody(place, {
      desktop: '{ type: desktop, terminal: false }',
      team: `{ type: slack, webhook: "${gone.url}/x", allow_any_host: true }`,
      mail: `{ type: email, to: [me@x.test], smtp: { host: 127.0.0.1, port: ${gone.port} } }`,
      hook: `{ type: webhook, url: "${gone.url}/in", allow_http: true, allow_private: true }`,
      run: '{ type: command, command: [sh, -c, "cat > /dev/null; exit 64"] }',
      out: `{ type: file, path: ${place.home} }`,
    });
    await place.start();

    await ask(place, 's1');
    await until(async () => {
      const queue = await place.ask('GET /v1/queue');
      return queue.length === 6 && queue.every(({ attempts }) => attempts > 0);
    });

    const why = {
      desktop: /pop-up/,
      team: /connection refused/,
      mail: /ECONNREFUSED/,
      hook: /connection refused/,
      run: /64/,
      out: /is a directory/,
    };
    const queue = await read<readonly DeliveryView[]>(place, 'queue', 'list');
    const [event] = await read<readonly HistoryView[]>(place, 'history');
    const { channels } = await read<{ readonly channels: readonly ChannelStateView[] }>(
      place,
      'status',
    );
    for (const [name, reason] of Object.entries(why)) {
      const queued = queue.find(({ channel }) => channel === name);
      const told = event?.deliveries.find(({ channel }) => channel === name);
      const state = channels.find((channel) => channel.name === name);
      assert.match(queued?.reason ?? '', reason);
      assert.match(told?.reason ?? '', reason);
      assert.match(state?.lastReason ?? '', reason);
      assert.notEqual(state?.lastOutcome, 'delivered');
    }
    assert.equal(event?.title, title);
    assert.equal(statesOf(event)['inbox'], 'sent 1');
    const doctor = await place.cli('doctor');
    assert.notEqual(doctor.code, 0);
    for (const name of Object.keys(why)) {
      assert.match(doctor.stdout, new RegExp(`^(?:problem|warning) +channel ${name} `, 'm'));
    }
  });
});

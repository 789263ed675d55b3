import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { heldQuestions, permissionRequest, startAsking } from '../support/asking-hook.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { ntfyPrograms, type NtfyServer, startNtfy } from '../support/ntfy-server.ts';
import { needs } from '../support/system-part.ts';

const skip = needs(...Object.values(ntfyPrograms));

/** A home that publishes everything to a real server, with buttons. */
async function homeWith(server: NtfyServer, more = ''): Promise<HookbellHome> {
  const place = await hookbellHome();
  await place.writeConfig(`
channels:
  phone:
    type: ntfy
    server: ${server.url}
    topic: agents
    token: { env: NTFY_TOKEN }
    answer_topic: answers
    answer_token: { env: NTFY_ANSWER_TOKEN }
    rate: { burst: 1000, every: 1ms }
routes: [{ match: { kind: needs.permission }, notify: [phone] }]
${more}`);
  place.env['NTFY_TOKEN'] = server.token;
  place.env['NTFY_ANSWER_TOKEN'] = server.answerToken;
  return place;
}

function request(sessionId: string, command: string): object {
  return {
    session_id: sessionId,
    cwd: '/home/dev/shop',
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command },
  };
}

async function alertState(place: HookbellHome): Promise<string | undefined> {
  return (await place.ask('GET /v1/alerts'))[0]?.state;
}

describe('ntfy, with a real server and its own client as the phone', { skip }, () => {
  test('a permission reaches the phone, a tap acknowledges it, and a tap on a copy does nothing', async () => {
    await using server = await startNtfy('2.27');
    await using place = await homeWith(server);
    await using phone = await server.phone();
    await place.start();

    await place.hook(request('s1', 'npm publish'));
    await until(() => phone.received.length === 1);
    const [shown] = phone.received;
    assert.ok(shown);
    assert.match(shown.title ?? '', /shop/);
    assert.match(shown.message ?? '', /Run: npm publish/);
    assert.equal(await alertState(place), 'open');

    assert.equal(await phone.press('Seen', shown), 200);
    await until(async () => (await alertState(place)) === 'acknowledged');

    const forged = {
      ...shown,
      actions: shown.actions?.map((one) => ({ ...one, body: `${one.body}0` })),
    };
    await phone.press('Seen', forged);
    const { stdout } = await place.cli('explain', 'last');
    assert.match(stdout, /a click on channel "phone"/);
  });

  test('"Snooze" silences the alert until its end', async () => {
    await using server = await startNtfy('2.27');
    await using place = await homeWith(server);
    await using phone = await server.phone();
    await place.start();
    await place.hook(request('s1', 'npm publish'));
    await until(() => phone.received.length === 1);
    const [shown] = phone.received;
    assert.ok(shown);

    await phone.press('Snooze 30 min', shown);

    await until(async () => {
      const [session] = await place.ask('GET /v1/sessions');
      return session?.snoozedUntil !== null && session?.snoozedUntil !== undefined;
    });
  });

  test('an answer at the desk takes the notification off the phone', async () => {
    // What is asked here counts like the daemon's requests.
    await using server = await startNtfy('2.27', 'visitor-request-limit-burst: 10000');
    await using place = await homeWith(server);
    await place.start();
    await place.hook(request('s1', 'npm publish'));
    await until(async () => (await server.shown()).length === 1);

    await place.hook({
      session_id: 's1',
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'npm publish' },
    });

    await until(async () => (await server.shown()).length === 0);
  });

  test('a server that cannot withdraw shows silently that nothing waits', async () => {
    await using server = await startNtfy('2.11');
    await using place = await homeWith(server);
    await using phone = await server.phone();
    await place.start();
    await place.hook(request('s1', 'npm publish'));
    await until(() => phone.received.length === 1);

    await place.cli('ack');

    await until(() => phone.received.length === 2);
    const [, second] = phone.received;
    assert.match(second?.title ?? '', /^No longer waiting: /);
    assert.equal(second?.priority, 1);
  });

  test('a tap while the daemon restarts counts afterwards', async () => {
    await using server = await startNtfy('2.27');
    await using place = await homeWith(server);
    await using phone = await server.phone();
    await place.start();
    await place.hook(request('s1', 'npm publish'));
    await until(() => phone.received.length === 1);
    const [shown] = phone.received;
    assert.ok(shown);
    await place.killDaemon();

    await phone.press('Seen', shown);
    await place.start();

    await until(async () => (await alertState(place)) === 'acknowledged');
  });

  test('a tap on Allow lets the agent go on, and one after an answer at the desk does not', async () => {
    await using server = await startNtfy('2.27');
    await using place = await homeWith(server);
    await using phone = await server.phone();
    await place.start();
    using asking = startAsking(place);
    await heldQuestions(place);
    await until(() => phone.received.length === 1);
    const [shown] = phone.received;
    assert.ok(shown);
    assert.match(shown.message ?? '', /command: touch made/);
    assert.deepEqual(
      shown.actions?.map(({ label }) => label),
      ['Allow', 'Deny', 'Snooze 30 min'],
    );

    await phone.press('Allow', shown);

    const { code, printed } = await asking.ended;
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(printed), {
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
    });
    await until(async () => (await server.shown()).length === 0);

    await phone.press('Deny', shown);
    await until(() => phone.received.some(({ title = '' }) => /^Allowed at .*"phone"/.test(title)));
  });

  test('no Allow is sent to a topic that can be read without a token', async () => {
    await using server = await startNtfy('2.27', 'auth-access: ["*:agents:read-only"]');
    await using place = await homeWith(server);
    await using phone = await server.phone();
    await place.start();
    using asking = startAsking(place);
    await heldQuestions(place);
    await until(() => phone.received.length === 1);

    assert.deepEqual(
      phone.received[0]?.actions?.map(({ label }) => label),
      ['Snooze 30 min', 'Seen'],
    );
    assert.match(
      (await place.cli('doctor', '--all')).stdout,
      /everyone who knows the topic can read it, so requests cannot be decided there/,
    );
    assert.equal(asking.hook.exitCode, null);
  });

  test('no Allow is sent where the token in the configuration can read the topic, as an agent could', async () => {
    await using server = await startNtfy('2.27', '', 'read-write');
    await using place = await homeWith(server);
    await using phone = await server.phone();
    await place.start();
    using asking = startAsking(place);
    await heldQuestions(place);
    await until(() => phone.received.length === 1);

    assert.deepEqual(
      phone.received[0]?.actions?.map(({ label }) => label),
      ['Snooze 30 min', 'Seen'],
    );
    assert.match(
      (await place.cli('doctor', '--all')).stdout,
      /"token" can read the topic, and your programs can read "token"/,
    );
    assert.equal(asking.hook.exitCode, null);
  });

  test('a request too long for a message can only be denied', async () => {
    await using server = await startNtfy('2.27');
    await using place = await homeWith(server);
    await using phone = await server.phone();
    await place.start();
    const command = `echo ${'x'.repeat(5_000)}`;
    using asking = startAsking(place, { ...permissionRequest, tool_input: { command } });
    await heldQuestions(place);
    await until(() => phone.received.length === 1);
    const [shown] = phone.received;
    assert.ok(shown);
    assert.deepEqual(
      shown.actions?.map(({ label }) => label),
      ['Deny', 'Snooze 30 min', 'Seen'],
    );

    await phone.press('Deny', shown);

    const { printed } = await asking.ended;
    assert.equal(JSON.parse(printed).hookSpecificOutput.decision.behavior, 'deny');
  });

  test('`doctor` reports who can read the topic, a token that is refused, and an answer topic it cannot read', async () => {
    await using server = await startNtfy('2.27');
    await using place = await homeWith(server);
    await place.start();
    const say = async (): Promise<string> => (await place.cli('doctor', '--all')).stdout;

    await until(async () =>
      /Publishes to 127\.0\.0\.1, with buttons; requests can be decided there/.test(await say()),
    );
    await place.killDaemon();
    place.env['NTFY_TOKEN'] = 'tk_00000000000000000000000000000';
    await place.start();
    assert.match(await say(), /"127\.0\.0\.1" refuses the token/);
    await place.killDaemon();
    place.env['NTFY_TOKEN'] = server.answerToken;
    place.env['NTFY_ANSWER_TOKEN'] = server.token;
    await place.start();
    assert.match(await say(), /Cannot read "answer_topic" on 127\.0\.0\.1: buttons have no effect/);
  });

  test('nothing is lost and nothing doubled while the server is killed five times and refuses by its rate limit', async () => {
    // Below the limits of an hour, which would hold the rest.
    const count = 900;
    await using server = await startNtfy('2.27', 'visitor-request-limit-replenish: "50ms"');
    await using place = await homeWith(
      server,
      'noise: { burst: { at_once: 1000, window: 1s }, per_session: 1000, per_channel: 1000 }',
    );
    await place.start();

    for (let index = 0; index < count; index += 1) {
      await place.hook(request(`s${index}`, `step of s${index}`));
      // Five times, while it is sent what came before.
      if (index % 180 !== 90) continue;
      await server.kill();
      await server.start();
    }
    await until(async () => (await place.ask('GET /v1/queue')).length === 0, 240_000);

    const entries = await place.ask('GET /v1/history', { query: { limit: '1000' } });
    const history = entries.filter(({ kind }) => kind === 'needs.permission');
    const sent = history.flatMap(({ deliveries }) =>
      deliveries.filter(({ channel, state }) => channel === 'phone' && state === 'sent'),
    );
    // Under load several events share a message.
    const shared = history.filter(({ deliveries }) =>
      deliveries.some(({ channel, sentWith }) => channel === 'phone' && sentWith !== null),
    );
    assert.equal(history.length, count);
    assert.equal(sent.length + shared.length, count);
    const { stdout: metrics } = await place.cli('daemon', 'metrics');
    assert.match(metrics, /attempts_total\{channel="phone",outcome="retry"\} [1-9]/);
    const shown = await server.shown();
    assert.equal(new Set(shown.map(({ sequence_id: sequence }) => sequence)).size, shown.length);
    assert.ok(shown.length >= sent.length, `${shown.length} shown, ${sent.length} sent`);
  });
});

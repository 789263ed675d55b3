import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '../../../src/core/channel.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { startNotificationServer } from '../../support/notification-server.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';
import { send } from '../conformance.ts';
import { busEnvironment, createDesktop, openBusStage } from './bus-stage.ts';
import { refOf } from './ref-of.ts';

const skip = needs('dbus-daemon');

test(
  'desktop over D-Bus: a newer pop-up of the session takes the place of the older one',
  { skip, timeout: 20_000 },
  async () => {
    await using stage = await openBusStage();

    await send(stage, sampleNotification({ groupKey: 'claude:s1', title: 'first' }));
    await send(stage, sampleNotification({ groupKey: 'claude:s2', title: 'other' }));
    await send(stage, sampleNotification({ groupKey: 'claude:s1', title: 'second' }));

    const replaced = stage.server.calls.map(({ title, replacesId }) => [title, replacesId]);
    assert.deepEqual(replaced, [
      ['first', 0],
      ['other', 0],
      ['second', 1],
    ]);
    assert.deepEqual([...stage.server.standing], [1, 2]);
  },
);

test(
  'desktop over D-Bus: withdraw closes the pop-up, also after a restart of the daemon',
  { skip, timeout: 20_000 },
  async () => {
    await using stage = await openBusStage();
    const outcome = await send(stage, sampleNotification());
    await using restarted = closing(await createDesktop({}, { env: busEnvironment(stage.server) }));

    const withdrawn = await restarted.channel.withdraw?.(refOf(outcome), sendContext());

    assert.equal(withdrawn?.type, 'delivered');
    assert.equal(stage.server.standing.size, 0);
  },
);

test(
  'desktop over D-Bus: urgency, sound, expiry and group arrive as hints',
  { skip, timeout: 20_000 },
  async () => {
    await using stage = await openBusStage({ expire_seconds: { critical: 7 } });

    await send(stage, sampleNotification({ kind: 'turn.failed', severity: 'critical' }));
    await send(stage, sampleNotification({ kind: 'session.end', severity: 'info' }));

    const [critical, low] = stage.server.calls;
    assert.deepEqual([critical?.hints['urgency'], critical?.expireMs], [2, 7_000]);
    assert.equal(critical?.hints['sound-name'], 'message-new-instant');
    assert.match(String(critical?.hints['x-canonical-private-synchronous']), /^[0-9a-f]{16}$/);
    assert.equal(critical?.hints['desktop-entry'], 'hookbell');
    assert.deepEqual([low?.hints['urgency'], low?.hints['sound-name']], [0, undefined]);
    assert.equal(low?.expireMs, -1);
  },
);

test(
  'desktop over D-Bus: markup is escaped in the body for a server that reads it, and only there (P71, T6)',
  { skip, timeout: 20_000 },
  async () => {
    const text = 'a &lt; b <b>x</b>';
    await using reads = await openBusStage();
    await using doesNot = await openBusStage({}, ['body']);

    for (const stage of [reads, doesNot]) {
      await send(stage, sampleNotification({ title: text, body: text }));
    }

    assert.equal(reads.server.calls[0]?.title, text);
    assert.equal(reads.server.calls[0]?.body, 'a &amp;lt; b &lt;b&gt;x&lt;/b&gt;');
    assert.equal(doesNot.server.calls[0]?.body, text);
  },
);

test(
  'desktop over D-Bus: backslashes, quotes and line feeds arrive as written',
  { skip, timeout: 20_000 },
  async () => {
    await using stage = await openBusStage();
    const body = String.raw`\101 \377 \n C:\temp 'q' "q" @s "x"` + '\nsecond line';
    const title = String.raw`\101 \377 'q' @s "x" uint32 5`;

    const outcome = await send(stage, sampleNotification({ title, body }));

    assert.equal(outcome.type, 'delivered');
    assert.deepEqual([stage.server.calls[0]?.title, stage.server.calls[0]?.body], [title, body]);
  },
);

test(
  'desktop: withdraw of a reference that is none fails and closes nothing',
  { skip, timeout: 20_000 },
  async () => {
    await using stage = await openBusStage();
    await send(stage, sampleNotification());

    for (const ref of [
      '',
      '1',
      '{"backend":"dbus","id":"--help"}',
      '{"backend":"terminal","id":"1"}',
    ]) {
      assert.equal((await stage.channel.withdraw?.(ref, sendContext()))?.type, 'failed');
    }
    assert.equal(stage.server.standing.size, 1);
  },
);

test(
  'desktop: finds the bus of the user by XDG_RUNTIME_DIR when its address is not given',
  { skip, timeout: 20_000 },
  async () => {
    await using server = await startNotificationServer();
    const env = { PATH: process.env['PATH'], XDG_RUNTIME_DIR: server.bus.directory };
    await using stage = closing(await createDesktop({}, { env }));

    const outcome = await send(stage, sampleNotification());

    assert.equal(outcome.type, 'delivered');
    assert.equal(server.calls.length, 1);
  },
);

test(
  'desktop: a notification server that comes back is used with the next attempt',
  { skip, timeout: 20_000 },
  async () => {
    await using stage = await openBusStage();
    await send(stage, sampleNotification({ title: 'before' }));

    await stage.server.leave();
    const without = await send(stage, sampleNotification());
    await stage.server.enter();
    const outcome = await send(stage, sampleNotification({ title: 'after' }));

    assert.equal(without.type, 'retry');
    assert.equal(outcome.type, 'delivered');
    assert.deepEqual(
      stage.server.calls.map(({ title }) => title),
      ['before', 'after'],
    );
  },
);

test(
  'desktop: check names the backend, what it can do and what the server can',
  { skip, timeout: 20_000 },
  async () => {
    await using stage = await openBusStage();

    const { ok, summary } = await stage.channel.check(AbortSignal.timeout(10_000));

    assert.equal(ok, true);
    // An answer needs a program that opens pages, which may be missing here.
    const lacks = stage.channel.lacks?.filter((ability) => ability !== 'reply');
    assert.deepEqual(lacks, []);
    assert.match(
      summary,
      /^dbus, a click acknowledges and [^(]+ \(server: actions, body, body-markup\)$/,
    );
  },
);

/** Closes the channel at the end of the block. */
function closing(channel: Channel): AsyncDisposable & { readonly channel: Channel } {
  return { channel, [Symbol.asyncDispose]: () => channel.close() };
}

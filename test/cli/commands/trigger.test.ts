import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { EventView } from '../../../src/control/contract.ts';
import { isHandMade } from '../../../src/core/hand-made.ts';
import { hookbellHome, until } from '../../support/hookbell-home.ts';

const FILE = (path: string) =>
  `channels: { out: { type: file, path: "${path}" } }\nroutes: [{ match: {}, notify: out }]\n`;

describe('hookbell trigger', () => {
  test('hands the event in through the real hook and shows where it arrived', async () => {
    await using place = await hookbellHome();
    await place.writeConfig(FILE(`${place.home}/out.jsonl`));
    await place.start();

    const { code, stdout } = await place.cli(
      'trigger',
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

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { z } from 'zod';

import type { ChannelTestView } from '../../../src/control/contract.ts';
import { commandLine } from '../../support/command-line.ts';
import { sampleStatusView } from '../../support/sample-views.ts';

const good: ChannelTestView = {
  channel: 'desktop',
  type: 'desktop',
  outcome: 'delivered',
  reason: null,
  durationMs: 31,
  clickAcknowledges: false,
};
const bad: ChannelTestView = {
  channel: 'team',
  type: 'slack',
  outcome: 'failed',
  reason: 'Slack does not know the webhook',
  durationMs: 120,
  clickAcknowledges: false,
};

/** The request also names the caller, so that a channel that writes to a terminal finds theirs. */
const asking = z.strictObject({
  channels: z.array(z.string()).optional(),
  all: z.literal(true).optional(),
  facts: z.object({ ppid: z.string() }),
});

describe('hookbell test', () => {
  test('shows outcome and time of every channel', async () => {
    await using cli = await commandLine();
    const asked: unknown[] = [];
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView()),
      'POST /v1/test': ({ body }) => {
        asked.push(asking.parse(body));
        return Promise.resolve([good]);
      },
    });

    const { code, stdout } = await cli.run(['test']);

    assert.match(stdout, /\ndesktop +desktop +delivered +31 ms\n$/);
    assert.deepEqual(asked, [{ facts: { ppid: String(process.pid) } }]);
    assert.equal(code, 0);
  });

  test('says where a click on what was shown says "seen"', async () => {
    await using cli = await commandLine();
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView()),
      'POST /v1/test': () => Promise.resolve([{ ...good, clickAcknowledges: true }]),
    });

    const { stdout } = await cli.run(['test']);

    assert.match(stdout, /\ndesktop +desktop +delivered +31 ms +a click acknowledges\n$/);
  });

  test('asks for every channel with --all alone, and refuses it beside names (B3)', async () => {
    await using cli = await commandLine();
    const asked: unknown[] = [];
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView()),
      'POST /v1/test': ({ body }) => {
        asked.push(asking.parse(body));
        return Promise.resolve([good]);
      },
    });

    await cli.run(['test', '--all']);
    const both = await cli.run(['test', '--all', 'team']);

    assert.deepEqual(asked, [{ all: true, facts: { ppid: String(process.pid) } }]);
    assert.equal(both.code, 2);
  });

  test('ends with 1 when one of the named channels failed, and says why', async () => {
    await using cli = await commandLine();
    const asked: unknown[] = [];
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView()),
      'POST /v1/test': ({ body }) => {
        asked.push(asking.parse(body));
        return Promise.resolve([good, bad]);
      },
    });

    const shown = await cli.run(['test', 'desktop', 'team']);
    const json = await cli.run(['test', '--json']);

    const facts = { ppid: String(process.pid) };
    assert.deepEqual(asked[0], { channels: ['desktop', 'team'], facts });
    assert.match(shown.stdout, /\nteam +slack +failed +120 ms +Slack does not know the webhook\n/);
    assert.equal(shown.code, 1);
    assert.deepEqual(JSON.parse(json.stdout), [good, bad]);
    assert.equal(json.code, 1);
  });
});

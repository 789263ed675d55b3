import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';
import {
  harmlessText,
  hostileText,
  sampleEventDeliveryView,
  sampleEventView,
} from '../../support/sample-views.ts';

describe('hookbell history', () => {
  test('shows local time, project, agent and headline, and the channels by what came of them', async () => {
    await using cli = await commandLine();
    await cli.serve({
      'GET /v1/history': () =>
        Promise.resolve([
          sampleEventView({
            title: hostileText,
            deliveries: [
              sampleEventDeliveryView({ channel: 'team', state: 'retrying' }),
              sampleEventDeliveryView({ channel: 'desktop' }),
              sampleEventDeliveryView({ channel: 'inbox' }),
            ],
          }),
        ]),
    });

    const { code, stdout } = await cli.run(['history'], { env: { TZ: 'Asia/Tokyo' } });

    const [, line = ''] = stdout.split('\n');
    assert.equal(
      line,
      `f3a1c2d4  2026-03-01 19:00:00  shop     claude  ${harmlessText}  retrying: team; sent: desktop, inbox`,
    );
    assert.equal(code, 0);
  });

  test('says why nobody was told', async () => {
    await using cli = await commandLine();
    const decisions = [
      { stage: 'classify', verdict: 'pass', reason: 'it means activity' },
      { stage: 'route', verdict: 'stop', reason: 'No route fits activity' },
    ] as const;
    await cli.serve({
      'GET /v1/history': () => Promise.resolve([sampleEventView({ deliveries: [], decisions })]),
    });

    const { stdout } = await cli.run(['history']);

    assert.match(stdout, /silent: No route fits activity\n$/);
  });

  test('--json prints the array as the daemon answers it, asked with every filter', async () => {
    await using cli = await commandLine();
    const asked: unknown[] = [];
    const history = [sampleEventView()];
    await cli.serve({
      'GET /v1/history': ({ query }) => {
        asked.push(Object.fromEntries(query));
        return Promise.resolve(history);
      },
      'GET /v1/events': ({ part }) =>
        Promise.resolve(sampleEventView({ eventId: `${part}-whole` })),
    });

    const { stdout } = await cli.run(
      'history --limit 7 --before e9 --session s1 --agent droid --suppressed --json'.split(' '),
    );
    await cli.run(['history']);

    assert.deepEqual(JSON.parse(stdout), history);
    assert.deepEqual(asked, [
      { limit: '7', before: 'e9-whole', session: 's1', agent: 'droid', suppressed: '1' },
      {},
    ]);
  });

  test('an agent that does not exist is refused with 2', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['history', '--agent', 'hal']);

    assert.equal(code, 2);
    assert.match(stderr, /Unknown word "hal", expected one of droid, claude/);
  });
});

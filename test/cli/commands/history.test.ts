import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';
import {
  harmlessText,
  hostileText,
  sampleEventDeliveryView,
  sampleEventView,
} from '../../support/sample-views.ts';
import { serveEvents } from '../../support/serve-events.ts';

describe('hookbell history', () => {
  test('shows local time, project, agent and headline, and the channels by what came of them', async () => {
    await using cli = await commandLine();
    await cli.serve({
      'GET /v1/mutes': () => Promise.resolve([]),
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

  test('shows with which event a combined message was sent, not "cancelled" (B13)', async () => {
    await using cli = await commandLine();
    const combined = { state: 'cancelled', sentWith: 'cafe1234-0000-4000' } as const;
    await cli.serve({
      'GET /v1/history': () =>
        Promise.resolve([
          sampleEventView({
            deliveries: [
              sampleEventDeliveryView(combined),
              sampleEventDeliveryView({ channel: 'inbox' }),
            ],
          }),
        ]),
    });

    const { stdout } = await cli.run(['history']);

    assert.match(stdout, / sent: inbox; sent with cafe1234: desktop\n$/);
  });

  test('says why no one was notified', async () => {
    await using cli = await commandLine();
    const decisions = [
      { stage: 'classify', verdict: 'pass', reason: 'it means activity' },
      { stage: 'route', verdict: 'stop', reason: 'No route matches activity' },
    ] as const;
    await cli.serve({
      'GET /v1/mutes': () => Promise.resolve([]),
      'GET /v1/history': () => Promise.resolve([sampleEventView({ deliveries: [], decisions })]),
    });

    const { stdout } = await cli.run(['history']);

    assert.match(stdout, /silent: No route matches activity\n$/);
  });

  test('--json prints the array as the daemon answers it, asked with every filter', async () => {
    await using cli = await commandLine();
    const asked: unknown[] = [];
    const history = [sampleEventView()];
    await cli.serve({
      'GET /v1/mutes': () => Promise.resolve([]),
      'GET /v1/history': ({ query }) => {
        asked.push(Object.fromEntries(query));
        return Promise.resolve(history);
      },
      'GET /v1/events': ({ part }) =>
        Promise.resolve(sampleEventView({ eventId: `${part}-whole` })),
    });

    const { stdout } = await cli.run(
      'history -n 7 --before e9 --session s1 --agent droid --suppressed --json'.split(' '),
    );
    await cli.run(
      'history --project shop --kind turn.done --rang --since 2026-01-05T10:00:00Z'.split(' '),
    );
    await cli.run(['history']);

    assert.deepEqual(JSON.parse(stdout), history);
    assert.deepEqual(asked, [
      { limit: '7', before: 'e9-whole', session: 's1', agent: 'droid', suppressed: '1' },
      { project: 'shop', kind: 'turn.done', rang: '1', since: '1767607200000' },
      {},
    ]);
  });

  test('an agent that does not exist is refused with 2', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['history', '--agent', 'hal']);

    assert.equal(code, 2);
    assert.match(stderr, /Unknown value "hal", expected one of droid, claude/);
  });

  test('--export writes a timeline that "route replay" takes, over all pages, the oldest first', async () => {
    await using cli = await commandLine();
    const asked = sampleEventView({
      eventId: 'ask',
      payload: JSON.stringify({
        hook_event_name: 'PermissionRequest',
        session_id: 's1',
        tool_name: 'Bash',
        tool_input: { command: 'npm test' },
      }),
      event: 'PermissionRequest',
    });
    const prompts = Array.from({ length: 200 }, (_, index) =>
      sampleEventView({
        eventId: `prompt-${index}`,
        at: new Date(Date.parse(asked.at) + (200 - index) * 1_000).toISOString(),
        payload: '{"hook_event_name":"UserPromptSubmit","session_id":"s2","prompt":"go on"}',
        event: 'UserPromptSubmit',
      }),
    );
    const broken = sampleEventView({ eventId: 'broken', payload: '{"a": ' });
    await serveEvents(cli, [...prompts, asked, broken]);
    await cli.write(
      'config.yaml',
      'channels: { desktop: { type: desktop } }\nroutes: [{ match: { kind: waiting }, notify: desktop }]\n',
    );

    const exported = await cli.run(['history', '--export']);
    await cli.write('timeline.jsonl', exported.stdout);
    const words = 'route replay timeline.jsonl --config config.yaml --json'.split(' ');
    const { stdout } = await cli.run(words);

    const lines = exported.stdout.trimEnd().split('\n');
    assert.equal(lines.length, 201);
    assert.deepEqual(JSON.parse(lines[0] ?? ''), {
      at: Date.parse(asked.at) / 1_000,
      agent: 'claude',
      event: 'PermissionRequest',
      env: { TMUX_PANE: '%3' },
      payload: JSON.parse(asked.payload),
    });
    const [{ at, channel, sessionId } = {}] = JSON.parse(stdout);
    assert.deepEqual(
      { at, channel, sessionId },
      { at: 1_772_359_200.7, channel: 'desktop', sessionId: 's1' },
    );
  });

  test('--export shows a control character of a payload as an escape (D15)', async () => {
    await using cli = await commandLine();
    const payload = '{"hook_event_name":"Stop","session_id":"s1","note":"a\u009b31m"}';
    await serveEvents(cli, [sampleEventView({ eventId: 'one', event: 'Stop', payload })]);

    const { stdout } = await cli.run(['history', '--export']);

    assert.ok(!stdout.includes('\u009b'));
    assert.equal(JSON.parse(stdout).payload.note, 'a\u009b31m');
  });

  test('--export --limit takes the newest', async () => {
    await using cli = await commandLine();
    await serveEvents(cli, [
      sampleEventView({ eventId: 'new', event: 'New' }),
      sampleEventView({ eventId: 'old', event: 'Old' }),
    ]);

    const { stdout } = await cli.run(['history', '--export', '--limit', '1']);

    assert.equal(JSON.parse(stdout).event, 'New');
  });
});

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { currentValues } from '../../../src/cli/completion/values.ts';
import type { ValueSource } from '../../../src/cli/completion/value-source.ts';
import type { CommandContext } from '../../../src/cli/context.ts';
import type { ControlAnswers } from '../../../src/control/contract.ts';
import { resolvePaths } from '../../../src/core/paths.ts';
import { DaemonUnreachableError } from '../../../src/platform/errors.ts';
import {
  sampleDeliveryView,
  sampleEventView,
  sampleMuteView,
  sampleSessionView,
} from '../../support/sample-views.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

type Answers = Partial<{ [Name in keyof ControlAnswers]: ControlAnswers[Name] }>;

/** The proposals of a source, each with its description if it has one; `config`: the text of the configuration. */
async function proposed(
  source: ValueSource,
  { answers = {}, config }: { readonly answers?: Answers; readonly config?: string } = {},
): Promise<readonly string[]> {
  await using directory = await temporaryDirectory();
  const paths = {
    ...resolvePaths({}, process.platform, directory.path),
    config: join(directory.path, 'config.yaml'),
  };
  if (config !== undefined) await writeFile(paths.config, config);
  const ask: CommandContext['ask'] = async (name) => {
    const answer = answers[name];
    if (answer === undefined) throw new DaemonUnreachableError('The daemon does not run');
    return answer;
  };
  const found = await currentValues(source, { ask, paths });
  return found.map(({ value, description }) =>
    description === '' ? value : `${value} (${description})`,
  );
}

const config = `channels: { team: { type: file, path: /tmp/x }, log: { type: file, path: /tmp/y } }
plans: { night: [{ notify: team }] }
routes: [{ match: { kind: waiting }, plan: night }, { notify: log }]
`;

describe('currentValues()', () => {
  test('proposes the channels and plans of the configuration', async () => {
    const channels = await proposed('channels', { config });
    const plans = await proposed('plans', { config });

    assert.deepEqual(channels, ['team', 'log', 'inbox']);
    assert.ok(plans.includes('night') && plans.includes('none'), plans.join());
    assert.ok(!plans.includes('team'));
  });

  test('proposes nothing of a configuration that cannot be used', async () => {
    for (const source of ['channels', 'plans'] as const) {
      assert.deepEqual(await proposed(source, { config: 'channels: [' }), []);
    }
  });

  test('proposes the agents that can be registered, and the names of their events once each', async () => {
    const agents = await proposed('agents');
    const names = await proposed('event-names');

    assert.ok(agents.includes('claude') && agents.includes('codex'), agents.join());
    assert.ok(!agents.includes('unknown'));
    assert.ok(names.includes('SessionStart'), names.join());
    assert.deepEqual(names, [...new Set(names)].toSorted());
  });

  test('proposes sessions by their ids, and only those that have one', async () => {
    const answers = {
      'GET /v1/sessions': [
        sampleSessionView(),
        sampleSessionView({ sessionId: null }),
        sampleSessionView({ sessionId: 's2', project: null, title: null, state: 'done' }),
      ],
    };

    assert.deepEqual(await proposed('sessions', { answers }), [
      's1 (claude · shop · waiting · Release 2.0)',
      's2 (claude · done)',
    ]);
  });

  test('proposes each project once', async () => {
    const answers = {
      'GET /v1/sessions': ['shop', null, 'api', 'shop'].map((project) =>
        sampleSessionView({ project }),
      ),
    };

    assert.deepEqual(await proposed('projects', { answers }), ['shop', 'api']);
  });

  test('proposes events, deliveries and mutes with what distinguishes them', async () => {
    const answers = {
      'GET /v1/history': [sampleEventView({ eventId: 'e1' })],
      'GET /v1/queue': [
        sampleDeliveryView({ id: 'd1' }),
        sampleDeliveryView({ id: 'd2', state: 'pending', reason: null }),
      ],
      'GET /v1/mutes': [
        sampleMuteView({ id: 'm1' }),
        sampleMuteView({ id: 'm2', project: 'shop', kind: 'turn.done' }),
      ],
    };

    assert.deepEqual(await proposed('events', { answers }), [
      'e1 (claude · Notification · 2026-03-01T10:00:00.000Z)',
    ]);
    assert.deepEqual(await proposed('deliveries', { answers }), [
      'd1 (team · dead · Slack answered 500)',
      'd2 (team · pending)',
    ]);
    assert.deepEqual(await proposed('mutes', { answers }), ['m1', 'm2 (shop · turn.done)']);
  });

  test('leaves files and directories to the shell, and proposes nothing without a daemon', async () => {
    for (const source of [
      'files',
      'directories',
      'sessions',
      'projects',
      'events',
      'deliveries',
      'mutes',
    ] as const) {
      assert.deepEqual([source, await proposed(source)], [source, []]);
    }
  });
});

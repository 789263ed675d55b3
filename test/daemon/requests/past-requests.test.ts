import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pastRequests } from '../../../src/daemon/requests/past-requests.ts';
import { requestName } from '../../../src/alerts/requests/request-rows.ts';
import { traitsOf } from '../../../src/agents/registry.ts';
import { decide } from '../../../src/alerts/decide.ts';
import type { HookEvent } from '../../../src/core/hook-event.ts';
import { loadShellParser } from '../../../src/platform/shell-syntax.ts';
import { samplePolicy } from '../../support/decisions.ts';
import { sampleEvent } from '../../support/sample.ts';
import { waitingRun } from '../../support/waiting-run.ts';

const T = Date.UTC(2026, 0, 5, 10);
const period = { since: 0, until: Number.MAX_SAFE_INTEGER };
const root = '/home/me/shop';
const asks = (text: string): Partial<HookEvent> => ({
  kind: 'needs.permission',
  event: 'PermissionRequest',
  tool: 'Bash',
  subject: text,
  cwd: root,
  asked: { action: 'run', text, options: [] },
});

test('pastRequests() counts what was asked for and what was done, by project and exactly what it was', async () => {
  await using run = await waitingRun();
  const parse = await loadShellParser();
  for (const [index, [text, answer]] of [
    ['npm test', 'tool.done'],
    ['npm test', 'tool.done'],
    ['npm test', 'turn.interrupted'],
    ['curl -H "token: s3cret" x.example', 'tool.done'],
    ['$X', 'tool.done'],
  ].entries()) {
    const at = T + index * 60_000;
    await run.feed({ ...asks(text ?? ''), at });
    await run.feed({
      kind: answer === 'tool.done' ? 'tool.done' : 'turn.interrupted',
      tool: 'Bash',
      subject: text ?? '',
      toolMs: 0,
      at: at + 5_000,
    });
  }
  const file = {
    tool: 'Edit',
    asked: { action: 'edit', text: 'a.ts +1 −1', options: [] },
  } as const;
  const inside = { claude_project_dir: root };
  await run.feed({ ...asks('x'), ...file, cwd: `${root}/src`, facts: inside, at: T + 900_000 });
  await run.feed({ kind: 'tool.done', tool: 'Edit', subject: 'x', toolMs: 0, at: T + 901_000 });
  // A call that was not asked for.
  const event = sampleEvent({
    kind: 'tool.done',
    tool: 'Bash',
    cwd: root,
    at: T + 950_000,
    receivedAt: T + 950_000,
  });
  const payload = new TextEncoder().encode('{"tool_input":{"command":"npm test"}}');
  await run.store.events.accept([{ event, payload }], (memory, accepted) =>
    decide(memory, accepted, {
      agents: traitsOf,
      policy: samplePolicy,
      now: event.at,
      presence: null,
      newId: () => 'x',
    }),
  );
  await run.measure();
  await run.store.waits.nameRequests({ nameOf: (one) => requestName(one, parse), limit: 100 });

  const found = await pastRequests(run.store.waits, period, (text) =>
    text.replaceAll('s3cret', '[redacted]'),
  );

  assert.deepEqual(
    found
      .map(({ root: place, pattern, allowed, denied, calls, sessions, waitedMs }) => [
        place,
        pattern.levels[0]?.name,
        allowed,
        denied,
        calls,
        sessions.length,
        waitedMs,
      ])
      .filter(([, name]) => !String(name).startsWith('curl')),
    [
      [root, 'Edit src/a.ts', 1, 0, 0, 1, 1_000],
      [root, 'npm test', 2, 1, 1, 1, 10_000],
    ],
  );
  assert.doesNotMatch(JSON.stringify(found), /s3cret/);
});

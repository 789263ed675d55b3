import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bucketToolNames,
  clientLabel,
  creditsText,
  delegationLabel,
  foldByCase,
} from '../../../../src/vendor/client/index.ts';
import { analytics } from '../samples.ts';
import { json, openService } from '../service.ts';

test('acceptance 061, A19: server names fold by case into the most used spelling, and rows stay as they are', async () => {
  const mcp_by_server = [
    { server: 'jira', invocations: 2 },
    { server: 'Jira', invocations: 5 },
    { server: 'wiki', invocations: 1 },
  ];
  await using service = await openService(json(analytics([{ date: '2026-03-01', mcp_by_server }])));
  const range = { startDate: '2026-03-01', endDate: '2026-03-01' };

  const { data } = await service.client().analytics.tools(range);
  const servers = data[0]?.mcp_by_server ?? [];
  const folded = foldByCase(
    servers.map(({ server, invocations }) => ({ name: server ?? '', count: invocations ?? 0 })),
  );

  assert.deepEqual(servers, mcp_by_server);
  assert.deepEqual(folded, [
    { name: 'Jira', count: 7 },
    { name: 'wiki', count: 1 },
  ]);
});

test('acceptance 062, A19: tool names with artefacts come together as "other"', () => {
  const counts = [
    { name: 'Read', count: 5 },
    { name: 'Read">\n<b', count: 1 },
    { name: 'x'.repeat(81), count: 2 },
    { name: 'mcp__a/b:c.d-e', count: 3 },
  ];

  assert.deepEqual(bucketToolNames(counts), [
    { name: 'Read', count: 5 },
    { name: 'mcp__a/b:c.d-e', count: 3 },
    { name: 'other (2)', count: 3 },
  ]);
});

test('acceptance 066, 078: known client types and delegation levels have labels, others show as they came', () => {
  for (const client of ['terminal-ui', 'web', 'non-interactive-cli']) {
    assert.notEqual(clientLabel(client), client);
  }
  assert.match(delegationLabel('auto-low'), /frequent confirmations/);
  for (const level of ['auto-high', 'auto-medium', 'spec', 'manual']) {
    assert.notEqual(delegationLabel(level), level);
  }
  assert.equal(clientLabel('toaster'), 'toaster');
  assert.equal(delegationLabel('constructor'), 'constructor');
});

test('acceptance 050: billable_tokens read as standard credits, never as tokens or money', () => {
  assert.equal(creditsText(1_234_567.891), '1,234,567.89 standard credits');
  assert.equal(creditsText(1), '1 standard credit');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { plan } from '../../src/alerts/plan.ts';
import { applyProjectMutes } from '../../src/alerts/mute.ts';
import type { Kind } from '../../src/core/hook-event.ts';
import type { ProjectSettings } from '../../src/core/policy.ts';
import { samplePolicy, sampleStep } from '../support/decisions.ts';

const planned = plan(
  [{ name: 'all', steps: [sampleStep(['desktop', 'log']), sampleStep(['team'], { afterMs: 1 })] }],
  samplePolicy,
);

function narrowed(kind: Kind, fields: Partial<ProjectSettings>) {
  const project = { file: '/p/.hookbell.yaml', label: null, mute: [], note: null, ...fields };
  const result = applyProjectMutes(planned, { kind }, { project, programChannels: ['log'] });
  return { told: result.planned.messages.map(({ channel }) => channel), ...result.decision };
}

test('applyProjectMutes() leaves only machines for what the project mutes, at every step, and says why (T18)', () => {
  assert.deepEqual(narrowed('turn.done', { mute: ['turn.done'] }), {
    told: ['log'],
    stage: 'mute',
    verdict: 'stop',
    reason: '"/p/.hookbell.yaml" mutes turn.done: people are not notified',
  });
});

test('applyProjectMutes() leaves everything else as it is, and notes a file without effect', () => {
  const all = ['desktop', 'log', 'team'];

  assert.deepEqual(narrowed('needs.permission', { mute: ['turn.done'] }), { told: all });
  assert.deepEqual(narrowed('turn.done', { note: 'is not applied: it is not trusted' }), {
    told: all,
    stage: 'mute',
    verdict: 'note',
    reason: '"/p/.hookbell.yaml": is not applied: it is not trusted',
  });
  assert.equal(
    applyProjectMutes(planned, { kind: 'prompt' }, { project: null, programChannels: [] }).planned,
    planned,
  );
});

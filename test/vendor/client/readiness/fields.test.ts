import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routes } from '../../../../src/vendor/client/index.ts';
import { Criterion, ReadinessReport } from '../../../../src/vendor/client/readiness.ts';
import { flags, passes, testFields, texts } from '../field-cases.ts';
import { report } from '../samples.ts';

for (const fieldCase of [
  {
    id: '093',
    what: 'the list of reports, without pagination',
    schema: routes['readiness.list'].response,
    fields: { reports: [report()] },
    required: ['reports'],
  },
  {
    id: '096',
    what: 'the id of a report',
    schema: ReadinessReport,
    fields: { reportId: '0b6ad9f2-6f46-4c47-9a50-1d6e0c4a2c11' },
    required: ['reportId'],
  },
  {
    id: '097',
    what: 'the time of a report',
    schema: ReadinessReport,
    rest: { reportId: 'r1' },
    fields: { createdAt: 1_773_000_000_000 },
  },
  {
    id: '098',
    what: 'the repository of a report',
    schema: ReadinessReport,
    rest: { reportId: 'r1' },
    fields: texts('repoUrl'),
  },
  {
    id: '099',
    what: 'the applications of a report',
    schema: ReadinessReport,
    rest: { reportId: 'r1' },
    fields: { apps: { 'apps/web': { description: 'Shop' } } },
  },
  {
    id: '100, 102',
    what: 'the criteria of a report, under any id',
    schema: ReadinessReport,
    rest: { reportId: 'r1' },
    fields: { report: { any_new_criterion: { numerator: 1, denominator: 2, rationale: 'Half' } } },
  },
  {
    id: '100',
    what: 'a criterion',
    schema: Criterion,
    fields: { numerator: 1, denominator: 2, rationale: 'Half' },
  },
  {
    id: '103',
    what: 'the commit and the state of the working tree of a report',
    schema: ReadinessReport,
    rest: { reportId: 'r1' },
    fields: {
      ...texts('commitHash', 'branch'),
      ...flags('hasLocalChanges', 'hasNonRemoteCommits'),
    },
  },
  {
    id: '104',
    what: 'the model of a report',
    schema: ReadinessReport,
    rest: { reportId: 'r1' },
    fields: { modelUsed: { id: 'model-a', reasoningEffort: 'high' } },
  },
  {
    id: '105',
    what: 'the agent version of a report',
    schema: ReadinessReport,
    rest: { reportId: 'r1' },
    fields: texts('agentVersion'),
  },
]) {
  testFields(fieldCase);
}

test('acceptance 104, 224: reasoningEffort takes low, medium, high, off and any other text', () => {
  for (const reasoningEffort of ['low', 'medium', 'high', 'off', 'extreme']) {
    assert.ok(passes(ReadinessReport, report({ modelUsed: { id: 'm', reasoningEffort } })));
  }
});

test('acceptance 103: an absent hasLocalChanges stays absent', () => {
  assert.equal('hasLocalChanges' in ReadinessReport.parse(report()), false);
});

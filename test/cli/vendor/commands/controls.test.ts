import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';

import { remoteCommandLine } from '../../../support/remote-command-line.ts';

const comparison = z.object({
  before: z.object({ revision: z.number() }),
  after: z.object({ revision: z.number() }),
  changes: z.array(z.object({ path: z.string(), loosens: z.string().nullable() })),
  steps: z.array(z.object({ revision: z.number() })),
});

test('hookbell service controls diff shows from what to what, marks what loosens, and says who and when', async () => {
  await using remote = await remoteCommandLine();

  const { code, stdout, stderr } = await remote.run(['service', 'controls', 'diff', '14', '12']);

  assert.equal(code, 0, stderr);
  assert.match(stdout, /^sandbox\.enabled true -> false \(high: the sandbox is off\)$/m);
  assert.match(stderr, /^Revision 14, compared with 12$/m);
  assert.match(stderr, /^14 by \S+ \S+ on [\d-]{10} \d\d:\d\d UTC$/m);
});

test('hookbell service controls diff shows no secret, as a table or as JSON (acceptance 179, 180)', async () => {
  await using remote = await remoteCommandLine();

  const { stdout } = await remote.run(['service', 'controls', 'diff', '1', '26']);
  const json = await remote.run(['service', 'controls', 'diff', '1', '26', '--json']);

  assert.match(stdout, /^customModels\["custom:team-llm"\]\.apiKey was changed \(a secret\)$/m);
  assert.match(stdout, /^brandNewPolicy\.apiToken was set \(a secret\)$/m);
  assert.ok(!`${stdout}${json.stdout}`.includes('mock-secret'));
  const { before, after, changes, steps } = comparison.parse(JSON.parse(json.stdout));
  assert.deepEqual([before.revision, after.revision, steps.length], [1, 26, 24]);
  assert.ok(
    changes.some(({ path, loosens }) => path === 'networkPolicy.allowedIps' && loosens !== null),
  );
});

test('hookbell service controls diff ends with 6 for a revision that is not there, and with 2 for what is none', async () => {
  await using remote = await remoteCommandLine();

  const missing = await remote.run(['service', 'controls', 'diff', '12', '13']);
  const wrong = await remote.run(['service', 'controls', 'diff', '12', 'x']);
  const refused = await remote.run(['service', 'controls', 'diff', '12', '14'], { key: 'revoked' });

  assert.deepEqual([missing.code, wrong.code, refused.code], [6, 2, 5]);
  assert.match(missing.stderr, /No revision 13/);
});

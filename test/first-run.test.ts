import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { projectRoot } from './support/hookbell-home.ts';
import { runProcess } from './support/run-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** Prints what a person would not want to paste. */
const failing = `
const { homedir, hostname, userInfo } = require('node:os');
const { HOOKBELL_STATE_DIR: state } = process.env;
console.log('first crash');
if (process.argv[2] !== 'history') {
  console.log(\`\${state} \${homedir()}/x \${userInfo().username}@\${hostname()} tk_0123456789abcdefghijklmn https://me:pw@relay\`);
  process.exit(7);
}`;

test('first-run.sh reports the status of what failed, without names, folders and tokens', async () => {
  await using directory = await temporaryDirectory();
  const root = directory.path;
  await mkdir(join(root, 'dist/program'), { recursive: true });
  await writeFile(join(root, 'dist/program/cli.js'), failing);
  const home = join(root, 'Anna');
  const script = join(projectRoot, 'scripts/first-run.sh');
  const env = { HOME: home, TMPDIR: root, PATH: process.env['PATH'] ?? '' };
  const { code, stdout, stderr } = await runProcess('sh', [script, root], { env });

  assert.equal(code, 1);
  assert.match(
    stdout,
    /^FAILED {2}status: status 7: first crash FOLDER\/state ~\/x USER@HOST \*{3} https:\/\/\*{3}@relay/m,
  );
  for (const secret of [root, hostname(), `${userInfo().username}@`, 'tk_0', 'pw'])
    assert.ok(!stdout.includes(secret), secret);
  assert.equal(stderr, '');
});

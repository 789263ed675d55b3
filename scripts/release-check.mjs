// Ends with status 1 if this checkout cannot be released from GITHUB_REPOSITORY: npm refuses provenance for a package whose
// package.json names another repository, and a placeholder is left. CONTRIBUTING.md lists the placeholders.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The hash of a recipe is filled in after the release, whose archive it is of. */
const placeholders = ['github.com/OWNER/', 'hookbell@example.org'];

const { repository } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const expected = `git+https://github.com/${process.env['GITHUB_REPOSITORY']}.git`;
const problems = [];
if (repository.url !== expected) {
  problems.push(`package.json: "repository.url" is "${repository.url}", not "${expected}"`);
}
const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
for (const file of listed.split('\0').filter((name) => name !== '' && !isExempt(name))) {
  const text = readFileSync(root + file, 'utf8');
  for (const placeholder of placeholders) {
    if (text.includes(placeholder))
      problems.push(`${file}: the placeholder "${placeholder}" is left`);
  }
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

/** Tests, this list, and the page that explains it. */
function isExempt(file) {
  return (
    file.startsWith('test/') || file === 'scripts/release-check.mjs' || file === 'CONTRIBUTING.md'
  );
}

// Prints the notes of a version from CHANGELOG.md, as text for the page of its release: `node scripts/release-notes.mjs [VERSION]`,
// by default that of package.json. "Unreleased" prints what the next one has so far. Status 1 if the version has no notes.
import { readFileSync } from 'node:fs';

const headings = { FEATURE: 'New', CHANGE: 'Changed', FIX: 'Fixed' };

const { version, homepage } = JSON.parse(read('package.json'));
const wanted = (process.argv[2] ?? version).replace(/^v/, '');
const sections = read('CHANGELOG.md').split(/^## /m).slice(1);
const section = sections.find((text) => firstLine(text) === wanted);
const entries = [...(section ?? '').matchAll(/^- \[(FEATURE|CHANGE|FIX)\] (.+)$/gm)];

if (entries.length === 0) {
  const known = sections.map(firstLine).join(', ');
  process.stderr.write(
    `Cannot print release notes: CHANGELOG.md has no entry for "${wanted}", only for ${known}\n`,
  );
  process.exitCode = 1;
} else {
  const parts = Object.entries(headings).map(([tag, heading]) => {
    const lines = entries.filter(([, of]) => of === tag).map(([, , line]) => `- ${line}\n`);
    return lines.length === 0 ? null : `## ${heading}\n\n${lines.join('')}`;
  });
  // What stands between the heading and the first entry.
  const [, words = ''] = /^[^\n]*\n([^]*?)^- /m.exec(section);
  const introduction = words.trim() === '' ? [] : [`${words.trim()}\n`];
  const notes = [...introduction, ...parts.filter((part) => part !== null)].join('\n');
  // The page of a release is not beside the documents.
  const files = `${homepage.replace('#readme', '')}/blob/${wanted === 'Unreleased' ? 'main' : `v${wanted}`}`;
  process.stdout.write(notes.replaceAll('](docs/', `](${files}/docs/`));
}

function read(path) {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

/** Its version, which a date may follow. */
function firstLine(text) {
  return text.split('\n', 1)[0].split(' ', 1)[0];
}

import { troubleshootingTexts } from './troubleshooting-texts.mjs';

// Turns what the checks of "hookbell doctor" say about themselves into the generated part of docs/troubleshooting.md.

/** @param guides the checks, by the command that runs them (`checkGuides`) */
export function troubleshootingPart(guides) {
  return Object.entries(guides)
    .flatMap(([command, checks]) => [`## \`${command}\``, ...checks.map(section)])
    .join('\n\n');
}

function section({ name, troubles }) {
  const { about, meanings } = textsOf(name, troubles);
  const rows = Object.entries(troubles).map(
    ([trouble, { state, remedy }]) =>
      `| ${[state, `${coded(meanings[trouble])}.`, remedyText(remedy)].map(escapePipes).join(' | ')} |`,
  );
  const table = ['| finding | meaning | what to do |', '| --- | --- | --- |', ...rows].join('\n');
  return [
    `### ${name}`,
    `${about}.`,
    rows.length === 0 ? 'It never reports a problem.' : table,
  ].join('\n\n');
}

/** @throws Error unless there is a text for each finding, and no other */
function textsOf(name, troubles) {
  const texts = troubleshootingTexts[name] ?? { about: '', meanings: {} };
  const [wanted, found] = [troubles, texts.meanings].map((of) => Object.keys(of).toSorted().join());
  if (texts.about !== '' && wanted === found) return texts;
  throw new Error(`troubleshooting-texts.mjs, "${name}": has "${found}", expected "${wanted}"`);
}

/** `{path}` is what `doctor` fills in. */
function remedyText(remedy) {
  if (remedy === null) return 'See the hint that `doctor` prints, if any.';
  const text = remedy.replaceAll(/\{(\w+)\}/g, (_, key) => key.toUpperCase());
  return `${coded(text).replace(/^Run: (.*)$/, 'Run `$1`')}.`;
}

/** Quoted commands as code. */
function coded(text) {
  return text.replaceAll(/"(hookbell[^"]*)"/g, '`$1`');
}

function escapePipes(text) {
  return text.replaceAll('|', '\\|');
}

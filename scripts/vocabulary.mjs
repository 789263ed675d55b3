// Compares the vocabularies in src/agents with the newest published programs: which events and types of notification are new, so
// that no one has decided what they mean, and which are gone. Ends with status 1 if there are any. Build first; needs npm, tar and
// the network, some 1.5 GB below the directory for temporary files, and Linux on x64 (it unpacks Copilot CLI by running it).
//   node scripts/vocabulary.mjs [AGENT…]
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dialects } from '../dist/src/agents/registry.js';
import { comparison, readers } from './vocabulary-readers.mjs';

const wanted = process.argv.slice(2);
const asked = Object.entries(dialects).filter(
  ([agent]) => agent !== 'unknown' && (wanted.length === 0 || wanted.includes(agent)),
);
for (const [agent, { vocabulary }] of asked) {
  const { npm, version, place } = vocabulary.source;
  if (npm === null) {
    process.stdout.write(`${agent}: not compared: no npm package; read in ${place} (${version})\n`);
    continue;
  }
  const directory = mkdtempSync(join(tmpdir(), 'hookbell-vocabulary-'));
  try {
    report(agent, vocabulary, directory);
  } catch (error) {
    complain(`${agent}: cannot be read: ${error.message}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function report(agent, vocabulary, directory) {
  const { npm, version } = vocabulary.source;
  const newest = run('npm', ['view', npm, 'version'], directory);
  // The program of Codex CLI for each system is a version of the same package.
  const build = agent === 'codex' ? '-linux-x64' : '';
  const archive = run('npm', ['pack', '--silent', `${npm}@${newest}${build}`], directory);
  run('tar', ['xzf', archive], directory);
  rmSync(join(directory, archive));
  const found = readers[agent](filesOf(join(directory, 'package')));
  const differences = comparison(vocabulary, found);
  for (const one of differences)
    complain(`${agent} ${newest}: ${one} (src/agents/${agent}/vocabulary.ts)`);
  if (differences.length > 0) return;
  const counts = `${found.events.length} events, ${found.notifications.length} types of notification`;
  const later = newest.startsWith(version) ? '' : `; the vocabulary names ${version}`;
  process.stdout.write(`${agent} ${newest}: ${counts}, all decided${later}\n`);
}

/** The files of a package, to look into. */
function filesOf(root) {
  return {
    /** Contents of the files whose path ends so. */
    ending: (end) =>
      readdirSync(root, { recursive: true })
        .filter((path) => path.endsWith(end))
        .map((path) => readFileSync(join(root, path))),
    /** Runs a program of the package with a separate home directory, and returns the files that it leaves there. */
    unpackedBy(program, words) {
      const home = join(root, 'home');
      mkdirSync(home);
      const env = { PATH: process.env.PATH, HOME: home };
      execFileSync(join(root, program), words, { env, timeout: 120_000, stdio: 'ignore' });
      if (!existsSync(home)) throw new Error(`${program} has unpacked nothing`);
      return filesOf(home);
    },
  };
}

function run(program, words, cwd) {
  return execFileSync(program, words, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

function complain(text) {
  process.stdout.write(`${text}\n`);
  process.exitCode = 1;
}

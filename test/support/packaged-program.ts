import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import * as z from 'zod';

import { projectRoot } from './hookbell-home.ts';
import type { Finished } from './run-process.ts';

/** A package of a package manager, as the steps below try it in a disposable root. */
export interface PackagedProgram {
  /** Shell commands, run as root, that build it; what they change counts as there before. */
  readonly build?: string;
  readonly install: string;
  readonly remove: string;
  /** Where the package has the program. */
  readonly program: string;
  readonly path: string;
  /** Where it has the manual page and the completion for each shell. */
  readonly manual: string;
  readonly completion: { readonly bash: string; readonly zsh: string; readonly fish: string };
  /** Files that the package manager and the system write by themselves, as patterns of `find -path`. */
  readonly notes: readonly string[];
}

/** A shell script that prints each step before it, so that a test can name the part that failed. */
export function stepsOf(tried: PackagedProgram): string {
  const { program, path, manual, completion } = tried;
  const notes = ['./var/log/*', './var/cache/*', './tmp/*', './root/*', ...tried.notes];
  return `
step() { echo "== $*"; }
echo 'visitor:x:4242:4242::/home/visitor:/bin/sh' >>/etc/passwd
mkdir -p /home/visitor/.claude
chown -R 4242:4242 /home/visitor
visitor() {
  setpriv --reuid=4242 --regid=4242 --clear-groups env -i HOME=/home/visitor PATH=${path} LANG=C.UTF-8 "$@"
}
changes() {
  (cd /changed && find . ! -type d ${notes.map((note) => `! -path '${note}'`).join(' ')} | sort)
}
step build
${tried.build ?? ':'}
changes >/tmp/before

step install
${tried.install}
step version
visitor hookbell --version
step absent
find ${program}/ \\( -name typescript -o -name '*.map' -o -path '*/dist/test' -o -path '*/dist/bench' -o -name '*.ts' ! -name '*.d.ts' \\) ! -path '*/zod/*' -print
find ${program}/ -type d -empty -print
find ${program}/ -name '*.node' ! -name "*sqlite.glibc.node"
step size
du -sk ${program}/ | cut -f1
step man
visitor mandoc -T lint -W error ${manual} || true
visitor sh -c 'case ${manual} in *.gz) zcat ${manual} ;; *) cat ${manual} ;; esac' | grep -c '^\\.SS'
step bash
visitor bash -c '. ${completion.bash}; complete -p hookbell'
step zsh
visitor zsh -fc 'fpath=(${completion.zsh} $fpath); autoload -U compinit; compinit -D; print $_comps[hookbell]'
step fish
visitor fish -c '. ${completion.fish}; complete -C "hookbell upgr"'

step ring
visitor hookbell install --yes --no-service
step hook
echo '{"hook_event_name":"Stop","session_id":"s1","cwd":"/tmp"}' |
  visitor sh -c "$(visitor node -p 'JSON.parse(require("fs").readFileSync("/home/visitor/.claude/settings.json")).hooks.Stop[0].hooks[0].command')"
i=0
until visitor hookbell --json history | grep -q '"s1"'; do i=$((i + 1)); [ "$i" -lt 100 ]; sleep 0.1; done
visitor hookbell --json history | grep -c '"sessionId": "s1"'
step upgrade
visitor hookbell upgrade || echo "exit $?"

step uninstall
visitor hookbell uninstall --purge --yes >/dev/null
step home
find /home/visitor ! -type d
step remove
${tried.remove}
step left
changes | diff /tmp/before - || true
step end
`;
}

/** What a run of the steps printed, by step; asserts what holds for every package. */
export async function assertPackageWorks(ran: Finished): Promise<ReadonlyMap<string, string>> {
  const said = `${ran.stdout}\n${ran.stderr}`;
  if (process.env['HOOKBELL_SHOW'] !== undefined) process.stderr.write(said);
  const parts = new Map(
    ran.stdout.split(/^== /m).map((part) => {
      const at = part.indexOf('\n');
      return [part.slice(0, at), part.slice(at + 1)] as const;
    }),
  );
  assert.ok(parts.has('end'), said);
  assert.equal(parts.get('version'), `${await packageVersion()}\n`);
  assert.equal(parts.get('absent'), '');
  assert.ok(Number(parts.get('size')) < 32_000, `${parts.get('size')} KB`);
  assert.ok(Number(parts.get('man')) > 20, said);
  assert.equal(parts.get('bash'), 'complete -o default -F _hookbell hookbell\n');
  assert.equal(parts.get('zsh'), '_hookbell\n');
  assert.match(parts.get('fish') ?? '', /^upgrade\t/);
  assert.match(parts.get('ring') ?? '', /\+ test +\w+: sent in \d+ ms\n/);
  assert.equal(parts.get('hook'), '1\n');
  assert.equal(parts.get('home'), '');
  assert.equal(parts.get('left'), '');
  return parts;
}

export async function packageVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

/**
 * What a recipe that builds from source needs, as files to bring into a disposable root: the archive of a release at
 * `/sources/ARCHIVE`, and an npm in `/stand-in` that fetches nothing: its `ci` links the packages of this checkout, its
 * `run build` copies what that command has made of the checkout, and writes its calls to `/tmp/npm-calls`.
 */
export async function sourcesOfRelease(
  place: string,
  archive: string,
): Promise<Readonly<Record<string, string>>> {
  const folder = `hookbell-${await packageVersion()}`;
  const file = join(place, archive);
  const pack = `git ls-files -z --cached --others --exclude-standard | tar -czf "$1" --null --files-from - --transform "s,^,$2/,"`;
  await promisify(execFile)('sh', ['-ec', pack, 'sh', file, folder], { cwd: projectRoot });
  const standIn = join(place, 'npm');
  const text = `#!/bin/sh
echo "npm $*" >>/tmp/npm-calls
case "$*" in
'ci --ignore-scripts') ln -s /packages/node_modules node_modules ;;
'run build') cp -r /packages/dist dist ;;
*) exit 1 ;;
esac
`;
  await writeFile(standIn, text, { mode: 0o755 });
  return {
    [`/sources/${archive}`]: file,
    '/stand-in/npm': standIn,
    '/packages/node_modules': await realpath(join(projectRoot, 'node_modules')),
    '/packages/dist': join(projectRoot, 'dist'),
    '/usr/bin/node': process.execPath,
  };
}

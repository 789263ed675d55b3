import assert from 'node:assert/strict';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { inDisposableRoot, needsDisposableRoot } from './support/disposable-root.ts';
import { projectRoot } from './support/hookbell-home.ts';
import { runProcess } from './support/run-process.ts';
import { needs } from './support/system-part.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** Prints each step before it, so that the test can name the part that failed. */
const STEPS = `
step() { echo "== $*"; }
# Where the images of containers leave out documentation.
rm -f /etc/dpkg/dpkg.cfg.d/*
# An index of all manual pages of the machine takes seconds.
rm -f /var/lib/man-db/auto-update
echo 'visitor:x:4242:4242::/home/visitor:/bin/sh' >>/etc/passwd
mkdir -p /home/visitor/.claude
chown -R 4242:4242 /home/visitor
visitor() {
  setpriv --reuid=4242 --regid=4242 --clear-groups env -i HOME=/home/visitor PATH=/usr/bin:/bin LANG=C.UTF-8 "$@"
}
# What was changed, without the notes of dpkg and of the system.
changes() {
  (cd /changed && find . -type f ! -path './var/lib/dpkg/*' ! -path './var/log/*' ! -path './var/cache/*' ! -path './tmp/*' ! -path './root/*' | sort)
}
changes >/before

step install
# Node.js of this machine is no Debian package.
dpkg --force-depends --install /hookbell.deb >/dev/null
step status
dpkg --status hookbell | grep '^Status:'
dpkg --verify hookbell
step version
visitor hookbell --version

step man
visitor mandoc -T lint -W error /usr/share/man/man1/hookbell.1.gz || true
visitor sh -c 'zcat "$(man -w hookbell 2>/dev/null || echo /usr/share/man/man1/hookbell.1.gz)"' | grep -c '^\\.SS'
step bash
visitor bash -c '. /usr/share/bash-completion/completions/hookbell; complete -p hookbell'
step zsh
visitor zsh -fc 'autoload -U compinit; compinit -D; print $_comps[hookbell]'
step fish
visitor fish -c 'complete -C "hookbell upgr"'

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
dpkg --purge hookbell >/dev/null
ls -d /usr/lib/hookbell /usr/bin/hookbell 2>&1 | grep -v 'No such file' || true
dpkg-query --show hookbell 2>&1 || true
step left
changes | diff /before - || true
step end
`;

describe('the Debian package', { skip: needs('dpkg-deb', 'dpkg') }, () => {
  let place: AsyncDisposable & { readonly path: string };
  let env: Record<string, string>;
  let deb: string;
  before(async () => {
    place = await temporaryDirectory();
    env = { PATH: process.env['PATH'] ?? '', HOME: place.path };
    const script = ['scripts/build-deb.mjs', place.path];
    const built = await runProcess(process.execPath, script, { cwd: projectRoot, env });
    assert.equal(built.code, 0, built.stderr);
    deb = built.stdout.trim();
  });
  after(() => place[Symbol.asyncDispose]());

  test('holds the program, its command and nothing for development', async () => {
    const tree = join(place.path, 'tree');
    assert.equal((await runProcess('dpkg-deb', ['-x', deb, tree], { env })).code, 0);
    const said = await runProcess(process.execPath, [join(tree, 'usr/bin/hookbell'), '--version'], {
      env,
    });
    const { stdout: version } = await runProcess('dpkg-deb', ['-f', deb, 'Version'], { env });
    assert.ok(said.stdout.includes(version.trim()), said.stderr);
    const { stdout: size } = await runProcess('dpkg-deb', ['-f', deb, 'Installed-Size'], { env });
    assert.ok(Number(size) > 3_000 && Number(size) < 32_000, size);
    const program = join(tree, 'usr/lib/hookbell');
    assert.ok((await lstat(join(program, 'hooks/hookbell-hook'))).mode & 0o111);
    for (const [file, words] of [
      ['bash-completion/completions/hookbell', 'complete -o default -F _hookbell hookbell'],
      ['zsh/vendor-completions/_hookbell', '#compdef hookbell'],
      ['fish/vendor_completions.d/hookbell.fish', 'complete -c hookbell'],
    ] as const) {
      const script = await readFile(join(tree, 'usr/share', file), 'utf8');
      assert.ok(script.includes(words), file);
    }
    const page = gunzipSync(await readFile(join(tree, 'usr/share/man/man1/hookbell.1.gz')));
    assert.match(page.toString(), /^\.TH HOOKBELL 1/);
    for (const absent of ['node_modules/typescript', 'dist/test', 'test']) {
      await assert.rejects(lstat(join(program, absent)), absent);
    }
  });

  test(
    'has no error and no warning that lintian finds in a package of its kind',
    { skip: needs('lintian') },
    async () => {
      const checked = await runProcess(
        'lintian',
        ['--fail-on', 'error,warning', '--allow-root', '--cfg', '/dev/null', deb],
        { env: { ...env, LANG: 'C.UTF-8' } },
      );

      assert.deepEqual([checked.stdout, checked.code], ['', 0], checked.stderr);
    },
  );

  test(
    'in a separate root: installs, rings, completes, and leaves nothing',
    {
      skip: needsDisposableRoot('dpkg', 'dpkg-deb', 'bash', 'zsh', 'fish', 'mandoc'),
    },
    async () => {
      const ran = await inDisposableRoot({
        place: place.path,
        bring: { '/hookbell.deb': deb, '/usr/bin/node': process.execPath },
        script: STEPS,
      });

      const said = `${ran.stdout}\n${ran.stderr}`;
      if (process.env['HOOKBELL_SHOW'] !== undefined) process.stderr.write(said);
      const parts = new Map(
        ran.stdout.split('== ').map((part) => {
          const at = part.indexOf('\n');
          return [part.slice(0, at), part.slice(at + 1)] as const;
        }),
      );
      assert.ok(parts.has('end'), said);
      const { version }: { version: string } = JSON.parse(
        await readFile(join(projectRoot, 'package.json'), 'utf8'),
      );
      assert.equal(parts.get('status'), 'Status: install ok installed\n');
      assert.equal(parts.get('version'), `${version}\n`);
      assert.ok(Number(parts.get('man')) > 20, said);
      assert.equal(parts.get('bash'), 'complete -o default -F _hookbell hookbell\n');
      assert.equal(parts.get('zsh'), '_hookbell\n');
      assert.match(parts.get('fish') ?? '', /^upgrade\t/);
      assert.match(parts.get('ring') ?? '', /\+ test +\w+: sent in \d+ ms\n/);
      assert.equal(parts.get('hook'), '1\n');
      assert.match(
        parts.get('upgrade') ?? '',
        /: installed from a Debian package \/usr\/lib\/hookbell\n(.*\n)*run: sudo apt-get install .*\nrun: hookbell upgrade\nexit 8\n$/,
      );
      assert.equal(parts.get('home'), '');
      assert.match(
        parts.get('remove') ?? '',
        /^dpkg-query: no packages found matching hookbell\n$/,
      );
      assert.equal(parts.get('left'), '');
    },
  );
});

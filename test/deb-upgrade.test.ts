import assert from 'node:assert/strict';
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { NEWEST_SCHEMA } from '../src/core/store-aging.ts';
import { copyCheckout } from './support/checkout.ts';
import { inDisposableRoot, needsDisposableRoot } from './support/disposable-root.ts';
import { projectRoot } from './support/hookbell-home.ts';
import { nextProgram, setVersion } from './support/next-release.ts';
import { runProcess } from './support/run-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const NEXT = '9.9.9';

/** Prints each step before it. Events come all the time from the first installation to the end of the upgrade. */
const STEPS = `
step() { echo "== $*"; }
# An index of all manual pages of the machine takes seconds.
rm -f /var/lib/man-db/auto-update
echo 'visitor:x:4242:4242::/home/visitor:/bin/sh' >>/etc/passwd
mkdir -p /home/visitor/.claude
chown -R 4242:4242 /home/visitor
visitor() {
  setpriv --reuid=4242 --regid=4242 --clear-groups env -i HOME=/home/visitor PATH=/usr/bin:/bin LANG=C.UTF-8 "$@"
}
settings=/home/visitor/.claude/settings.json
version() { visitor hookbell --json status | node -p 'JSON.parse(require("fs").readFileSync(0)).version'; }
sent() { wc -l </tmp/sent; }
more() { enough=$(($(sent) + 5)); until [ "$(sent)" -ge "$enough" ]; do sleep 0.1; done; }

step install
dpkg --force-depends --install /first.deb >/dev/null 2>&1
visitor hookbell install --yes --no-service >/dev/null
version
line=$(node -p "JSON.parse(require('fs').readFileSync('$settings')).hooks.PostToolUse[0].hooks[0].command" 2>/dev/null ||
  node -p "JSON.parse(require('fs').readFileSync('$settings')).hooks.Stop[0].hooks[0].command")
: >/tmp/sent
: >/tmp/failed
(
  number=0
  while [ ! -e /tmp/enough ]; do
    sleep 0.1
    number=$((number + 1))
    echo "{\\"hook_event_name\\":\\"PostToolUse\\",\\"session_id\\":\\"s$number\\",\\"cwd\\":\\"/tmp\\"}" |
      visitor sh -c "$line" >>/tmp/failed 2>&1 && echo "s$number" >>/tmp/sent || echo "exit $?" >>/tmp/failed
  done
) &
more
registered=$(cksum <"$settings")

step package
dpkg --force-depends --install /next.deb >/dev/null 2>&1
more
visitor hookbell --version
version
step upgrade
visitor hookbell upgrade || echo "exit $?"
version
more
touch /tmp/enough
wait
step settings
[ "$registered" = "$(cksum <"$settings")" ] && echo unchanged
step failed
cat /tmp/failed
step lost
i=0
until visitor hookbell --json status | grep -q '"pending": 0' || [ "$i" -gt 100 ]; do i=$((i + 1)); sleep 0.1; done
visitor hookbell --json history --limit 1000 |
  node -p 'JSON.parse(require("fs").readFileSync(0)).map(({ sessionId }) => sessionId).join("\\n")' | sort -u >/tmp/stored
sort -u /tmp/sent | comm -23 - /tmp/stored

step downgrade
dpkg --force-depends --install /first.deb >/dev/null 2>&1
visitor hookbell --version
visitor hookbell install --refresh --yes --no-service 2>&1 || echo "exit $?"
version
step end
`;

test(
  'the Debian package is upgraded while hooks run: no event is lost, hooks stay valid, and an older one refuses the newer database',
  { skip: needsDisposableRoot('dpkg', 'dpkg-deb', 'xargs', 'cp', 'git') },
  async () => {
    await using place = await temporaryDirectory();
    await using checkout = await copyCheckout();
    const env = { PATH: process.env['PATH'] ?? '', HOME: place.path };
    const { version }: { version: string } = JSON.parse(
      await readFile(join(projectRoot, 'package.json'), 'utf8'),
    );
    await setVersion(checkout.path, NEXT);
    const program = join(checkout.path, 'dist/program');
    await rm(program, { recursive: true });
    await cp(await nextProgram(), program, { recursive: true });
    const node = async (cwd: string, ...words: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await runProcess(process.execPath, words, { cwd, env });
      assert.equal(code, 0, stderr);
      return stdout.trim();
    };
    const debs = {
      '/first.deb': await node(projectRoot, 'scripts/build-deb.mjs', place.path),
      '/next.deb': await node(checkout.path, 'scripts/build-deb.mjs', place.path),
    };

    const ran = await inDisposableRoot({
      place: place.path,
      bring: { ...debs, '/usr/bin/node': process.execPath },
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
    assert.equal(parts.get('install'), `${version}\n`);
    // The package is new, the copy of the user is not yet.
    assert.equal(parts.get('package'), `${NEXT}\n${version}\n`);
    assert.match(parts.get('upgrade') ?? '', new RegExp(`\n${NEXT}\n$`), said);
    assert.equal(parts.get('settings'), 'unchanged\n');
    assert.equal(parts.get('failed'), '');
    assert.equal(parts.get('lost'), '');
    const refusal = `a newer hookbell wrote it \\(its schema is ${NEWEST_SCHEMA + 1}, and hookbell \\S+ knows ${NEWEST_SCHEMA} at most\\)`;
    assert.match(
      parts.get('downgrade') ?? '',
      new RegExp(
        `^${version}\nhookbell: Cannot use the database .*: ${refusal}\n[^]*exit 1\n${NEXT}\n$`,
      ),
    );
  },
);

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { inDisposableRoot, needsDisposableRoot } from './support/disposable-root.ts';
import { projectRoot } from './support/hookbell-home.ts';
import {
  assertPackageWorks,
  packageVersion,
  sourcesOfRelease,
  stepsOf,
} from './support/packaged-program.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** As a person builds it, who may not be root; the archive lies beside the recipe, so that nothing is fetched. */
const BUILD = `
install -d -o 4242 -g 4242 /build /build/recipe
cp /sources/* /build/recipe/
sum=$(sha256sum /build/recipe/*.tar.gz | cut -d' ' -f1)
sed "s/^sha256sums=.*/sha256sums=('$sum')/" /PKGBUILD >/build/recipe/PKGBUILD
chown -R 4242:4242 /build
# The Node.js of this machine is not known to pacman.
visitor sh -ec 'cd /build/recipe && PATH=/stand-in:$PATH makepkg --nodeps --nocolor' >/tmp/makepkg.log 2>&1 ||
  { cat /tmp/makepkg.log >&2; exit 1; }
grep -E '^==> (WARNING|ERROR)' /tmp/makepkg.log | grep -v 'Skipping dependency checks' || true
cat /tmp/npm-calls
mkdir -p /var/lib/pacman/sync
`;

test(
  'the recipe for Arch Linux: makepkg builds it, pacman installs it, it rings, completes, and leaves nothing',
  {
    skip: needsDisposableRoot('makepkg', 'pacman', 'bash', 'zsh', 'fish', 'mandoc', 'git', 'tar'),
  },
  async () => {
    await using place = await temporaryDirectory();
    const archive = `hookbell-${await packageVersion()}.tar.gz`;
    const ran = await inDisposableRoot({
      place: place.path,
      bring: {
        ...(await sourcesOfRelease(place.path, archive)),
        '/PKGBUILD': join(projectRoot, 'packaging/aur/PKGBUILD'),
      },
      script: stepsOf({
        build: BUILD,
        install: `pacman --upgrade --noconfirm --assume-installed "nodejs=$(node -p process.versions.node)" /build/recipe/*.pkg.tar.* >/dev/null
step status
pacman --query --check --check hookbell`,
        remove: 'pacman --remove --nosave --noconfirm hookbell >/dev/null',
        program: '/usr/lib/hookbell',
        path: '/usr/bin:/bin',
        manual: '/usr/share/man/man1/hookbell.1.gz',
        completion: {
          bash: '/usr/share/bash-completion/completions/hookbell',
          zsh: '/usr/share/zsh/site-functions',
          fish: '/usr/share/fish/vendor_completions.d/hookbell.fish',
        },
        notes: ['./var/lib/pacman/*', './etc/ld.so.cache'],
      }),
    });

    const parts = await assertPackageWorks(ran);
    assert.equal(parts.get('build'), 'npm ci --ignore-scripts\nnpm run build\n');
    assert.match(
      parts.get('upgrade') ?? '',
      /: installed by pacman \/usr\/lib\/hookbell\n(.*\n)*run: git pull && makepkg .*\nrun: hookbell upgrade\nexit 8\n$/,
    );
    assert.match(parts.get('status') ?? '', /^hookbell: \d+ total files, 0 altered files\n$/);
  },
);

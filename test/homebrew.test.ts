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

const prefix = '/home/linuxbrew/.linuxbrew';

test(
  'the Homebrew formula: builds, rings, completes, knows its upgrade, and leaves nothing',
  { skip: needsDisposableRoot('ruby', 'bash', 'zsh', 'fish', 'mandoc', 'git', 'tar') },
  async () => {
    await using place = await temporaryDirectory();
    const archive = `v${await packageVersion()}.tar.gz`;
    const ran = await inDisposableRoot({
      place: place.path,
      bring: {
        ...(await sourcesOfRelease(place.path, archive)),
        '/hookbell.rb': join(projectRoot, 'packaging/homebrew/hookbell.rb'),
        '/install-formula.rb': join(projectRoot, 'test/support/homebrew/install-formula.rb'),
      },
      script: stepsOf({
        install: `install -d -o 4242 -g 4242 ${prefix}
visitor sh -ec 'PATH=/stand-in:$PATH ruby /install-formula.rb /hookbell.rb /sources/${archive} ${prefix}' >/tmp/brew.log 2>&1 ||
  { cat /tmp/brew.log >&2; exit 1; }
cat /tmp/npm-calls`,
        remove: `rm -r ${prefix}`,
        program: `${prefix}/opt/hookbell/libexec`,
        path: `${prefix}/bin:/usr/bin:/bin`,
        manual: `${prefix}/share/man/man1/hookbell.1`,
        completion: {
          bash: `${prefix}/etc/bash_completion.d/hookbell`,
          zsh: `${prefix}/share/zsh/site-functions`,
          fish: `${prefix}/share/fish/vendor_completions.d/hookbell.fish`,
        },
        notes: [],
      }),
    });

    const parts = await assertPackageWorks(ran);
    assert.equal(parts.get('install'), 'npm ci --ignore-scripts\nnpm run build\n');
    assert.match(
      parts.get('upgrade') ?? '',
      /: installed by Homebrew .*\n(.*\n)*run: brew upgrade hookbell\nrun: hookbell upgrade\nexit 8\n$/,
    );
  },
);

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { InstallOrigin } from '../../../src/setup/upgrade/find-origin.ts';
import { whatRemains } from '../../../src/setup/upgrade/what-remains.ts';

const folder = '/there/hookbell';
const rows: readonly (readonly [InstallOrigin, boolean, string, string | null])[] = [
  [
    { type: 'npm', folder, npm: 'npm' },
    false,
    'hookbell uninstall',
    'npm uninstall --global hookbell',
  ],
  [
    { type: 'deb', folder, hasRepository: false },
    false,
    'hookbell uninstall',
    'sudo apt-get remove hookbell',
  ],
  [{ type: 'homebrew', folder }, false, 'hookbell uninstall', 'brew uninstall hookbell'],
  [
    { type: 'npm', folder, npm: 'npm', prefix: '/opt/tools' },
    false,
    'hookbell uninstall',
    'npm uninstall --global --prefix /opt/tools hookbell',
  ],
  [
    { type: 'pacman', folder, name: 'hookbell-git', hasRepository: false },
    false,
    'hookbell uninstall',
    'sudo pacman --remove --nosave --recursive hookbell-git',
  ],
  [
    { type: 'pnpm', folder, bin: '/bin' },
    false,
    'hookbell uninstall',
    'pnpm remove --global hookbell',
  ],
  [
    { type: 'yarn', folder, bin: '/bin' },
    false,
    'hookbell uninstall',
    'yarn global remove hookbell',
  ],
  [
    { type: 'bun', folder, bin: '/bin' },
    false,
    'hookbell uninstall',
    'bun remove --global hookbell',
  ],
  [{ type: 'npx', folder }, false, 'npx hookbell uninstall', null],
  [{ type: 'checkout', folder }, true, '/there/hookbell/install.sh --uninstall', null],
  [{ type: 'unknown', folder, reason: '' }, true, '/there/hookbell/install.sh --uninstall', null],
  [{ type: 'unknown', folder, reason: '' }, false, 'npx hookbell uninstall', null],
];

for (const [origin, hasScript, uninstall, removePackage] of rows) {
  const having = hasScript ? 'with install.sh' : 'without install.sh';
  test(`whatRemains() of ${origin.type} ${having} names "${uninstall}"`, () => {
    assert.deepEqual(whatRemains(origin, { hasScript }), { uninstall, removePackage });
  });
}

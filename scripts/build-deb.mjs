// Builds a Debian package of the built program: node scripts/build-deb.mjs [DIRECTORY]. Needs dpkg-deb; run "npm run build" first.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { copyProgram } from '../dist/src/setup/installed-program.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// One of the packages holds compiled code, so that the program is of one architecture.
const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
const file = join(process.argv[2] ?? root, `hookbell_${version}_${architecture}.deb`);

const stage = mkdtempSync(join(tmpdir(), 'hookbell-deb-'));
try {
  // A directory for one user alone would become the root directory of the package.
  chmodSync(stage, 0o755);
  process.umask(0o022);
  mkdirSync(join(stage, 'usr/lib'), { recursive: true });
  await copyProgram(root, join(stage, 'usr/lib/hookbell'));
  mkdirSync(join(stage, 'usr/bin'));
  symlinkSync('../lib/hookbell/dist/program/cli.js', join(stage, 'usr/bin/hookbell'));
  for (const [script, target] of [
    ['hookbell.bash', 'usr/share/bash-completion/completions/hookbell'],
    ['hookbell.zsh', 'usr/share/zsh/vendor-completions/_hookbell'],
    ['hookbell.fish', 'usr/share/fish/vendor_completions.d/hookbell.fish'],
  ]) {
    mkdirSync(dirname(join(stage, target)), { recursive: true });
    copyFileSync(join(root, 'config/completion', script), join(stage, target));
  }
  const page = execFileSync(process.execPath, [join(root, 'dist/program/cli.js'), 'man']);
  mkdirSync(join(stage, 'usr/share/man/man1'), { recursive: true });
  writeFileSync(join(stage, 'usr/share/man/man1/hookbell.1.gz'), gzipSync(page));
  mkdirSync(join(stage, 'DEBIAN'));
  const control = readFileSync(join(root, 'packaging/deb/control'), 'utf8');
  writeFileSync(
    join(stage, 'DEBIAN/control'),
    control.replace('@VERSION@', version).replace('@ARCHITECTURE@', architecture),
  );
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', stage, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.stdout.write(`${file}\n`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}

// Builds a Debian package of the built program: node scripts/build-deb.mjs [DIRECTORY]. Needs dpkg-deb; run "npm run build" first.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

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
  const program = join(stage, 'usr/lib/hookbell');
  execFileSync(process.execPath, [join(root, 'scripts/packaged-program.mjs'), program], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
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
  const page = readFileSync(join(root, 'dist/program/hookbell.1'));
  mkdirSync(join(stage, 'usr/share/man/man1'), { recursive: true });
  writeFileSync(join(stage, 'usr/share/man/man1/hookbell.1.gz'), gzipSync(page, { level: 9 }));
  const documents = join(stage, 'usr/share/doc/hookbell');
  mkdirSync(documents, { recursive: true });
  copyFileSync(join(root, 'packaging/deb/copyright'), join(documents, 'copyright'));
  writeFileSync(join(documents, 'changelog.gz'), gzipSync(changelog(), { level: 9 }));
  mkdirSync(join(stage, 'DEBIAN'));
  const control = readFileSync(join(root, 'packaging/deb/control'), 'utf8');
  writeFileSync(
    join(stage, 'DEBIAN/control'),
    control
      .replace('@VERSION@', version)
      .replace('@ARCHITECTURE@', architecture)
      .replace('@INSTALLED_SIZE@', kilobytesOf(stage)),
  );
  for (const script of ['postinst', 'prerm']) {
    copyFileSync(join(root, 'packaging/deb', script), join(stage, 'DEBIAN', script));
    chmodSync(join(stage, 'DEBIAN', script), 0o755);
  }
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', stage, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.stdout.write(`${file}\n`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** As `dpkg-gencontrol` counts: of each file what it fills of blocks of 1024 bytes, of anything else one block. */
function kilobytesOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.map((entry) =>
    entry.isFile() ? Math.ceil(statSync(join(entry.parentPath, entry.name)).size / 1024) : 1,
  );
  return String(sizes.reduce((sum, size) => sum + size, 0));
}

/** Debian's form, which names the version; the changes themselves are in the program's own changelog. */
function changelog() {
  const date = new Date().toUTCString().replace('GMT', '+0000');
  return `hookbell (${version}) unstable; urgency=medium

  * See /usr/lib/hookbell/CHANGELOG.md

 -- The hookbell authors <hookbell@example.org>  ${date}
`;
}

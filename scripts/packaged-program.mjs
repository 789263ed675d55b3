// Fills DIRECTORY with the built program as packages have it: `node scripts/packaged-program.mjs DIRECTORY`. It is what
// "hookbell install" copies, for every supported Node, and without what holds only on this machine. Run "npm run build" first.
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { copyProgram } from '../dist/src/setup/installed-program.js';

const root = fileURLToPath(new URL('..', import.meta.url));
if (process.argv[2] === undefined) throw new Error('Name the directory to fill');
const program = resolve(process.argv[2]);

process.umask(0o022);
await copyProgram(root, program, { anyNode: true });
// Its Node, the folder of the sources, another C library, and notes for package managers.
for (const name of ['node-path', 'source']) rmSync(join(program, name));
for (const name of readdirSync(program, { recursive: true })) {
  if (/(?:\.map|\.musl\.node|\/\.npmignore|\/\.gitattributes)$/.test(name))
    rmSync(join(program, name));
}
removeEmpty(program);

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}

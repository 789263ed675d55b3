// A deleted source must not live on as a compiled file: stale tests would still run. What still has its source stays, so that
// the compiler writes only what changed.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../', import.meta.url));
const compiled = ['src', 'hooks', 'test', 'bench'];

for (const name of existsSync(`${project}dist`) ? readdirSync(`${project}dist`) : []) {
  if (!compiled.includes(name) && name !== '.tsbuildinfo') {
    rmSync(`${project}dist/${name}`, { recursive: true, force: true });
  }
}
for (const folder of compiled) {
  for (const path of filesIn(`${project}dist/${folder}`)) {
    const source = path.match(/^(.*?)(?:\.d\.ts|\.js(?:\.map)?)$/)?.[1];
    if (source !== undefined && !existsSync(`${project}${folder}/${source}.ts`)) {
      rmSync(`${project}dist/${folder}/${path}`, { force: true });
    }
  }
  const isWhole = filesIn(`${project}${folder}`).every(
    (path) =>
      !path.endsWith('.ts') || existsSync(`${project}dist/${folder}/${path.slice(0, -3)}.js`),
  );
  // The compiler believes what it wrote down about a file, not whether that is there.
  if (!isWhole) rmSync(`${project}dist/.tsbuildinfo`, { force: true });
}

function filesIn(folder) {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
}

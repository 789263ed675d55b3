// Prints the bill of materials of the built package as CycloneDX JSON: what npm lists for the lockfile, without the packages that
// people do not get. Those in the programs are development dependencies to npm, and listed by the build.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { runtimePackages } from '../dist/src/setup/runtime-packages.js';

const DEVELOPMENT = 'cdx:npm:package:development';
const root = fileURLToPath(new URL('..', import.meta.url));

const listed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 100_000_000,
});
const bill = JSON.parse(listed);
const bundled = JSON.parse(readFileSync(`${root}dist/program/packages.json`, 'utf8'));
const installed = (await runtimePackages(root)).map(({ to, version }) => ({
  name: to.replace(/^.*node_modules[/\\]/, '').replace('\\', '/'),
  version,
}));
const inside = new Set(bundled.map(({ name, version }) => `${name}@${version}`));
const wanted = new Set([...inside, ...installed.map(({ name, version }) => `${name}@${version}`)]);

const components = bill.components.filter(({ 'bom-ref': reference }) => wanted.has(reference));
if (components.length !== wanted.size) {
  const known = components.map(({ 'bom-ref': reference }) => reference);
  const missing = [...wanted].filter((one) => !known.includes(one));
  throw new Error(`The lockfile does not list ${missing.join(', ')}: build again`);
}
const references = new Set([bill.metadata.component['bom-ref'], ...wanted]);
process.stdout.write(
  `${JSON.stringify(
    {
      ...bill,
      // npm calls the project by its folder.
      metadata: { ...bill.metadata, component: { ...bill.metadata.component, name: 'hookbell' } },
      components: components.map(({ properties = [], ...component }) => ({
        ...component,
        scope: inside.has(component['bom-ref']) ? 'required' : component.scope,
        properties: properties.filter(({ name }) => name !== DEVELOPMENT),
      })),
      dependencies: bill.dependencies
        .filter(({ ref }) => references.has(ref))
        .map(({ ref, dependsOn = [] }) => ({
          ref,
          dependsOn: dependsOn.filter((one) => references.has(one)),
        })),
    },
    null,
    2,
  )}\n`,
);

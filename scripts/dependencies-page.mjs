// docs/dependencies.md: the packages that people get with hookbell. Those in the programs are listed by the build.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runtimePackages } from '../dist/src/setup/runtime-packages.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Why hookbell has each package that it names itself. */
const reasons = {
  '@clack/prompts': 'the questions of `hookbell init`, `channel add` and `hub`',
  '@modelcontextprotocol/server': 'the MCP server, `hookbell mcp`',
  '@photostructure/sqlite': 'SQLite where Node has none built in (before 22.13)',
  '@slack/socket-mode': 'the connection of a Slack app',
  '@slack/web-api': 'the calls of a Slack app',
  '@slack/webhook': 'the Slack webhook',
  commander: 'commands and their options',
  execa: 'running programs without a shell',
  'node-notifier': 'the last pop-up before the terminal, with programs for macOS and Windows',
  nodemailer: 'e-mail over SMTP',
  pg: 'the store on PostgreSQL',
  pino: 'the log',
  'tree-sitter-bash': 'the grammar of command lines that agents ask to run',
  undici: 'HTTP with limits, proxies and checked addresses',
  uqr: 'QR codes in the terminal and on the page',
  'web-tree-sitter': 'the parser of those command lines',
  yaml: 'reading and editing the configuration with its comments',
  zod: 'checking what comes from outside; the types of `hookbell/client` name it',
};

export async function dependenciesPage() {
  const manifest = read(join(root, 'package.json'));
  const installed = await runtimePackages(root);
  const bundled = JSON.parse(readFileSync(join(root, 'dist/program/packages.json'), 'utf8'));
  const describedInstalled = installed.map(({ from }) => ({
    ...read(join(from, 'package.json')),
    from,
  }));
  const rows = describedInstalled.map((one) => [
    one.name,
    one.version,
    one.license,
    sizeOf(one.from),
    one.name in (manifest.dependencies ?? {}) ? 'always' : 'optional',
    one.scripts?.install === undefined ? 'none' : `\`${one.scripts.install}\``,
    reasons[one.name] ?? neededBy(one.name, describedInstalled),
  ]);
  const inside = bundled.map((one) => [
    one.name,
    one.version,
    one.license,
    sizeOf(folderOf(one)),
    reasons[one.name] ??
      neededBy(
        one.name,
        bundled.map(({ name }) => installedAt(name)),
      ),
  ]);
  return `# Dependencies

<!-- Written by "npm run generate". Do not edit. -->

What people get with hookbell, besides Node. [Decision 33](decisions/0033-the-npm-package.md) explains what is installed and what is inside.

## Installed with the package

Without the optional ones (\`npm install --omit=optional\`) hookbell needs Node 22.13 or newer. Everything works with \`--ignore-scripts\`.

${table(['package', 'version', 'licence', 'size', 'installed', 'install script', 'why'], rows)}

## Inside the programs

Their code is in \`dist/program\`, in the versions of the lockfile, with their notices in \`dist/program/licences.txt\`. The size is that of the
package before bundling, which keeps only what the programs call.

${table(['package', 'version', 'licence', 'size', 'why'], inside)}
`;
}

/** The packages, of these, that name it among their dependencies. */
function neededBy(name, packages) {
  const by = packages
    .filter(
      ({ dependencies, optionalDependencies }) =>
        name in { ...dependencies, ...optionalDependencies },
    )
    .map((one) => one.name);
  if (by.length === 0)
    throw new Error(`Nothing needs "${name}": say why in scripts/dependencies-page.mjs`);
  return `needed by ${[...new Set(by)].join(', ')}`;
}

/** Where several versions of a package are installed, they need the same. */
function installedAt(name) {
  return read(join(root, 'node_modules', name, 'package.json'));
}

/** Of several versions of a package, the lockfile says where each is. */
function folderOf({ name, version }) {
  const { packages } = read(join(root, 'package-lock.json'));
  const [path] =
    Object.entries(packages).find(
      ([key, entry]) => key.endsWith(`node_modules/${name}`) && entry.version === version,
    ) ?? [];
  if (path === undefined) throw new Error(`The lockfile does not list ${name} ${version}`);
  return join(root, path);
}

/** Of a folder, without the packages that are installed inside it: those have their own row. */
function sizeOf(folder) {
  return `${Math.ceil(bytesBelow(folder) / 1000).toLocaleString('en-US')} kB`;
}

function bytesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter((entry) => !entry.parentPath.slice(folder.length).includes('/node_modules'))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

// Writes the programs that people run, dist/program, from the sources: in few files, since finding and linking some 400
// modules would be half of what a start takes. With --separate they load the compiled modules one by one instead, which is
// how coverage is measured.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

/**
 * Leaves out what is never used. The validator brings its messages in some fifty languages, and its `z` holds all it has: half
 * of all that would be loaded. The log can be written by a thread. MCP brings a validator for forms that a server shows.
 */
const unused = [
  {
    name: 'less-of-zod',
    load: {
      filter: { id: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ },
      handler: () => "export { default as en } from './en.js';",
    },
    transform: {
      filter: { id: /[/\\]src[/\\].*\.ts$/, code: "import { z } from 'zod'" },
      handler: (code) => code.replace("import { z } from 'zod'", "import * as z from 'zod'"),
    },
  },
  {
    name: 'less-of-mcp',
    load: {
      filter: { id: /[/\\]@modelcontextprotocol[/\\]server[/\\]dist[/\\]shimsNode\.mjs$/ },
      handler: () =>
        "export { default as process } from 'node:process';\nexport class DefaultJsonSchemaValidator {}",
    },
  },
  {
    // For code in WebAssembly that the grammar of Bash does not have.
    name: 'no-eval',
    transform: {
      filter: { id: /[/\\]web-tree-sitter\.js$/ },
      handler: (code) => code.replaceAll('= eval(func)', '= null'),
    },
  },
  {
    name: 'less-of-pino',
    load: {
      filter: { id: /[/\\]thread-stream[/\\]index\.js$/ },
      handler: () => 'module.exports = class {};',
    },
  },
];

const root = fileURLToPath(new URL('..', import.meta.url));
/** Its parts are CommonJS: Node finds and links them in less time. */
const inParts = { daemon: 'src/daemon/main' };
const modules = {
  cli: 'src/cli/main',
  'check-pages': 'src/store/sqlite/check-pages-main',
  'far-files': 'src/daemon/far-files/main',
  'node-notifier-main': 'src/channels/desktop/node-notifier-main',
  client: 'src/vendor/client/index',
};
const place = `${root}dist/program`;
/** Megabytes that an idle daemon does not need: `pg` alone makes Node load its HTTP client, 4 MB with it. */
const LOADED_IF_USED =
  /node_modules[/\\](?:@slack|execa|nodemailer|pg|undici|web-tree-sitter)[/\\]/;
/** The folders of the packages whose code is in the programs. */
const bundledPackages = new Set();

/** Files of packages that a program reads when it needs them. */
const readFiles = [
  import.meta.resolve('web-tree-sitter/web-tree-sitter.wasm'),
  import.meta.resolve('tree-sitter-bash/tree-sitter-bash.wasm'),
].map((url) => fileURLToPath(url));

mkdirSync(place, { recursive: true });
for (const file of readFiles) {
  copyFileSync(file, join(place, basename(file)));
  // One of them is marked as a program, which it is not.
  chmodSync(join(place, basename(file)), 0o644);
  bundledPackages.add(dirname(file));
}
if (process.argv.includes('--separate')) {
  for (const [name, module] of Object.entries({ ...inParts, ...modules })) {
    const start = name === 'cli' ? '#!/usr/bin/env node\n' : '';
    const load = name === 'client' ? 'export * from' : 'import';
    writeFileSync(`${place}/${name}.js`, `${start}${load} '../${module}.js';\n`);
  }
  writeFileSync(`${place}/hookbell-hook.cjs`, "import('../hooks/hook.js');\n");
} else {
  // Each by itself: what two of them share would be cut into many small files again.
  await Promise.all([
    bundle('hookbell-hook', 'hooks/hook', 'cjs'),
    ...Object.entries(modules).map(([name, module]) => bundle(name, module)),
    ...Object.entries(inParts).map(([name, module]) => bundle(name, module, 'cjs')),
  ]);
  for (const name of Object.keys(inParts)) {
    writeFileSync(
      `${place}/${name}.js`,
      `import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
// Optimized code, and the pages of the compiler, take 7 MB. Until there is a backlog, nothing runs often enough for it to be noticed.
setFlagsFromString('--no-opt');
createRequire(import.meta.url)('./${name}-parts/main.cjs');
`,
    );
  }
  const packages = [...bundledPackages]
    .map(described)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  writeFileSync(
    `${place}/packages.json`,
    `${JSON.stringify(
      packages.map(({ name, version, license }) => ({ name, version, license })),
      null,
      2,
    )}\n`,
  );
  writeFileSync(`${place}/licences.txt`, packages.map(licenceNotice).join('\n'));
}

// Packages link their command to it.
chmodSync(`${place}/cli.js`, 0o755);
// Only a process with all commands can print it, which would be a third of the time that an installation takes.
writeFileSync(`${place}/hookbell.1`, execFileSync(process.execPath, [`${place}/cli.js`, 'man']));

/** A package whose code is in the programs: it may be passed on with its copyright notice and licence. */
function described(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim());
  // Some have it at the end of their README.
  if (files.length === 0) texts.push(...licenceInReadme(folder));
  if (typeof license !== 'string' || texts.length === 0) {
    throw new Error(`"${folder}" has no licence in package.json, or no file with its text`);
  }
  return { name, version, license, text: texts.join('\n\n') };
}

function licenceInReadme(folder) {
  const text = readFileSync(`${folder}/README.md`, 'utf8');
  const [, section] =
    /^##? licen[cs]e\n([^#]*Copyright[^#]*Permission is hereby granted[^#]*)$/im.exec(text) ?? [];
  return section === undefined ? [] : [section.trim()];
}

function licenceNotice({ name, version, license, text }) {
  return `${name} ${version} (${license})\n\n${text}\n`;
}

async function bundle(name, module, format = 'esm') {
  const ending = format === 'cjs' ? 'cjs' : 'js';
  const isLibrary = name === 'client';
  const parts = { first: new Set(), initial: new Set() };
  const bundled = await rolldown({
    cwd: root,
    input: { [name]: `${module}.ts` },
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    transform: { target: 'node20.19' },
    // They bring compiled programs along.
    external: ['@photostructure/sqlite', 'node-notifier'],
    plugins: [...unused, { name: 'parts', buildEnd: divide }],
    onLog: (level, log) => {
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT')
        throw new Error(log.message);
    },
  });
  const { output } = await bundled.write({
    dir: place,
    format,
    ...(format === 'cjs' && { dynamicImportInCjs: false }),
    entryFileNames: name in inParts ? `${name}-parts/main.cjs` : `[name].${ending}`,
    chunkFileNames: `${name}-parts/[name]-[hash].${ending}`,
    // Names and lines stay: a stack trace shows them, and Node prints the whole line of an error that nothing catches. The
    // client is a library, which people also read.
    minify: isLibrary
      ? false
      : { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    comments: isLibrary,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: Object.entries(parts).map(([part, ids]) => ({
        name: part,
        test: (id) => ids.has(id),
      })),
    },
  });
  await bundled.close();
  for (const part of output) {
    if (part.type !== 'chunk') continue;
    writeFileSync(`${place}/${part.fileName}`, inAscii(part.code));
    for (const [id, { renderedLength }] of Object.entries(part.modules)) {
      const folder = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(id)?.[0];
      if (folder !== undefined && renderedLength > 0) bundledPackages.add(folder);
    }
  }
  for (const { type, facadeModuleId, exports } of output) {
    if (type !== 'chunk' || !facadeModuleId?.includes('node_modules')) continue;
    if (String(exports) === 'default') {
      throw new Error(
        `"${facadeModuleId}" is CommonJS and loaded by import(), which finds no names in the bundle: let a module of ours name what it takes from it, and load that`,
      );
    }
  }

  /**
   * What the program loads with its first module, and what it always loads after it: a file each, because Node takes 1 to 2 ms
   * to find and link one.
   */
  function divide() {
    const infos = [...this.getModuleIds()].map((id) => this.getModuleInfo(id));
    const main = infos.find(({ isEntry }) => isEntry);
    if (main.dynamicallyImportedIds.length === 0) return;
    for (const id of reachable(this, main.importedIds)) parts.first.add(id);
    for (const id of reachable(this, main.dynamicallyImportedIds)) {
      if (id !== main.id && !parts.first.has(id)) parts.initial.add(id);
    }
    const idle = [...parts.first, ...parts.initial].find((id) => LOADED_IF_USED.test(id));
    if (idle !== undefined) throw new Error(`${name} loads "${idle}" at every start`);
  }
}

/** With escapes: V8 keeps a text in twice the memory for a single character that is not in Latin-1. */
function inAscii(code) {
  return code.replaceAll(
    // Units, as an escape of a text is one.
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The modules that loading `ids` loads. */
function reachable({ getModuleInfo }, ids) {
  const found = new Set();
  const visit = (id) => {
    if (found.has(id)) return;
    found.add(id);
    for (const each of getModuleInfo(id)?.importedIds ?? []) visit(each);
  };
  for (const id of ids) visit(id);
  return found;
}

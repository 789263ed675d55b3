// Writes the programs that people run, dist/program, from the sources: in few files, since finding and linking some 400
// modules would be half of what a start takes. With --separate they load the compiled modules one by one instead, which is
// how coverage is measured.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const entries = {
  cli: 'src/cli/main',
  daemon: 'src/daemon/main',
  'check-pages': 'src/store/check-pages-main',
  'far-files': 'src/daemon/far-files/main',
  'node-notifier-main': 'src/channels/desktop/node-notifier-main',
  client: 'src/vendor/client/index',
};

if (process.argv.includes('--separate')) {
  mkdirSync(`${root}dist/program`, { recursive: true });
  for (const [name, module] of Object.entries(entries)) {
    const start = name === 'cli' ? '#!/usr/bin/env node\n' : '';
    const load = name === 'client' ? 'export * from' : 'import';
    writeFileSync(`${root}dist/program/${name}.js`, `${start}${load} '../${module}.js';\n`);
  }
} else {
  // Each by itself: what two of them share would be cut into many small files again.
  await Promise.all(Object.entries(entries).map(([name, module]) => bundle(name, module)));
}

async function bundle(name, module) {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: { [name]: `${module}.ts` },
    outdir: 'dist/program',
    bundle: true,
    splitting: true,
    chunkNames: `${name}-parts/[name]-[hash]`,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // Names stay as they are: they are what a stack trace in a report of a bug shows.
    minifySyntax: true,
    minifyWhitespace: true,
    // They bring compiled programs along.
    external: ['@photostructure/sqlite', 'node-notifier'],
    // Packages in CommonJS ask for the modules of Node by it.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [{ name: 'less-of-zod', setup: takeLessOfZod }],
    logLevel: 'warning',
  });
  for (const { entryPoint, exports } of Object.values(metafile.outputs)) {
    if (entryPoint?.includes('node_modules') && String(exports) === 'default') {
      throw new Error(
        `"${entryPoint}" is CommonJS and loaded by import(), which finds no names in the bundle: let a module of ours name what it takes from it, and load that`,
      );
    }
  }
}

/** The validator brings its messages in some fifty languages, and its `z` holds all it has: half of all that would be loaded. */
function takeLessOfZod({ onLoad }) {
  onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
    contents: "export { default as en } from './en.js';",
    resolveDir: fileURLToPath(new URL('../node_modules/zod/v4/locales', import.meta.url)),
  }));
  onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => ({
    contents: readFileSync(path, 'utf8').replace(
      "import { z } from 'zod'",
      "import * as z from 'zod'",
    ),
    loader: 'ts',
  }));
}

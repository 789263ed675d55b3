import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

import * as z from 'zod';

import { runtimePackages } from '../../src/setup/runtime-packages.ts';

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).optional(),
});

export interface LocalRegistry extends AsyncDisposable {
  readonly url: string;
  /** The names that were asked for, each once. */
  readonly asked: ReadonlySet<string>;
  /** Adds a file that npm has packed, as the latest version of its package. */
  publish(file: string): Promise<void>;
}

interface Served {
  readonly manifest: z.output<typeof Manifest>;
  readonly archive: Buffer;
}

/** A package registry on the loopback that has the runtime packages of a checkout, as they are installed there, and what is published. */
export async function startLocalRegistry(checkout: string): Promise<LocalRegistry> {
  const packages = new Map<string, readonly Served[]>();
  const add = (served: Served): void => {
    const { name } = served.manifest;
    packages.set(name, [...(packages.get(name) ?? []), served]);
  };
  for (const { from } of await runtimePackages(checkout)) {
    add({ manifest: await manifestOf(from), archive: await packed(from) });
  }
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    const [name = '', archive] = decodeURIComponent(request.url ?? '')
      .slice(1)
      .split('/-/', 2);
    const found = packages.get(name);
    const wanted = found?.find(({ manifest }) => archive === `${manifest.version}.tgz`);
    asked.add(name);
    if (found !== undefined && archive === undefined) {
      response.end(JSON.stringify(described(found, url)));
    } else if (wanted === undefined) response.writeHead(404).end('{}');
    else response.end(wanted.archive);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    asked,
    async publish(file) {
      const words = ['-xzOf', file, 'package/package.json'];
      const { stdout } = await promisify(execFile)('tar', words);
      add({ manifest: Manifest.parse(JSON.parse(stdout)), archive: await readFile(file) });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What npm resolves from. */
function described(served: readonly Served[], url: string): object {
  const versions = served.map((each) => [each.manifest.version, version(each, url)] as const);
  const [name] = served.map(({ manifest }) => manifest.name);
  return {
    name,
    'dist-tags': { latest: versions.at(-1)?.[0] },
    versions: Object.fromEntries(versions),
  };
}

/** Every range is "*", as the overrides of the checkout choose some versions. */
function version({ manifest, archive }: Served, url: string): object {
  const { name, dependencies = {} } = manifest;
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  return {
    ...manifest,
    dependencies: Object.fromEntries(Object.keys(dependencies).map((needed) => [needed, '*'])),
    dist: { tarball: `${url}/${name}/-/${manifest.version}.tgz`, integrity },
  };
}

async function manifestOf(folder: string): Promise<z.output<typeof Manifest>> {
  return Manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
}

async function packed(folder: string): Promise<Buffer> {
  const words = ['-c', '--exclude', './node_modules', '--transform', 's,^\\.,package,', '.'];
  const { stdout } = await promisify(execFile)('tar', ['-I', 'gzip -1', ...words], {
    cwd: folder,
    encoding: 'buffer',
    maxBuffer: 100_000_000,
  });
  return stdout;
}

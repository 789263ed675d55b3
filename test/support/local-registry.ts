import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

import * as z from 'zod';

import { runtimePackages } from '../../src/setup/runtime-packages.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).optional(),
});

type Manifest = z.output<typeof Manifest>;

export interface LocalRegistry extends AsyncDisposable {
  readonly url: string;
  /** The names that were asked for, each once. */
  readonly asked: ReadonlySet<string>;
  /** Adds a file that npm has packed, as the latest version of its package. */
  publish(file: string): Promise<void>;
}

interface Served {
  readonly manifest: Manifest;
  readonly archive: Buffer;
  readonly integrity: string;
}

/** What the packages bring for other systems, and their sources, of which nothing is loaded: they are most of the bytes. */
const left = ['./node_modules', './package.json', './src'];
const otherSystems = ['darwin', 'linux', 'win32']
  .filter((name) => name !== process.platform)
  .map((name) => `./prebuilds/${name}-*`);

const archives = new Map<string, Promise<readonly Served[]>>();

/** A package registry on the loopback that has the runtime packages of a checkout, as they are installed there, and what is published. */
export async function startLocalRegistry(checkout: string): Promise<LocalRegistry> {
  const packages = new Map<string, readonly Served[]>();
  const add = (served: Served): void => {
    const { name } = served.manifest;
    packages.set(name, [...(packages.get(name) ?? []), served]);
  };
  for (const served of await runtimeArchives(checkout)) add(served);
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
      add(servedAs(Manifest.parse(JSON.parse(stdout)), await readFile(file)));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The runtime packages of a checkout, packed once for a process. */
async function runtimeArchives(checkout: string): Promise<readonly Served[]> {
  const known = archives.get(checkout);
  if (known !== undefined) return known;
  const packing = runtimePackages(checkout).then((packages) =>
    Promise.all(
      packages.map(async ({ from }) => {
        const manifest = withAnyRange(await manifestOf(from));
        return servedAs(manifest, await packed(from, manifest));
      }),
    ),
  );
  archives.set(checkout, packing);
  return packing;
}

function servedAs(manifest: Manifest, archive: Buffer): Served {
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  return { manifest, archive, integrity };
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
function withAnyRange({ dependencies = {}, ...rest }: Manifest): Manifest {
  return {
    ...rest,
    dependencies: Object.fromEntries(Object.keys(dependencies).map((needed) => [needed, '*'])),
  };
}

function version({ manifest, integrity }: Served, url: string): object {
  const { name } = manifest;
  return {
    ...withAnyRange(manifest),
    dist: { tarball: `${url}/${name}/-/${manifest.version}.tgz`, integrity },
  };
}

async function manifestOf(folder: string): Promise<Manifest> {
  return Manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
}

/** With the same ranges, which Yarn reads in the archive. */
async function packed(folder: string, manifest: object): Promise<Buffer> {
  await using own = await temporaryDirectory();
  await writeFile(join(own.path, 'manifest'), JSON.stringify(manifest));
  const excluded = [...left, ...otherSystems].flatMap((path) => ['--exclude', path]);
  const from = [...excluded, '.'];
  const names = ['s,^\\.,package,', 's,^manifest$,package/package.json,'];
  const words = [
    '-I',
    'gzip -1',
    '-c',
    ...names.flatMap((name) => ['--transform', name]),
    ...from,
    '-C',
    own.path,
    'manifest',
  ];
  const options = { cwd: folder, encoding: 'buffer', maxBuffer: 100_000_000 } as const;
  try {
    return (await promisify(execFile)('tar', words, options)).stdout;
  } catch (error) {
    const archive = archiveOf(error);
    if (archive === null) throw error;
    return archive;
  }
}

/** The archive of a `tar` that only complains of a file to which another test has made a hard link meanwhile. */
function archiveOf(error: unknown): Buffer | null {
  const Failure = z.object({ stdout: z.instanceof(Buffer), stderr: z.instanceof(Buffer) });
  const { data } = Failure.safeParse(error);
  const isWhole = data?.stderr
    .toString()
    .trim()
    .split('\n')
    .every((line) => line.endsWith(': file changed as we read it'));
  return data !== undefined && isWhole === true ? data.stdout : null;
}

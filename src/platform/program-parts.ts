import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { Script } from 'node:vm';

/*
 * A bundled program is a folder of parts, CommonJS files that load each other, of which "main.cjs" starts it. Beside a
 * part lies the code that V8 compiled from it, "….code": compiling it anew would be a fifth of the daemon's start. Such a
 * file is an aid only. It is used by the Node that made it, for the text it was made from, as it was written; otherwise
 * the part is compiled as usual.
 */

const MAIN = 'main.cjs';
const HEAD = '(function (exports, require, module, __filename, __dirname) {';
const DIGEST_BYTES = 32;

export interface Parts {
  /** Runs a part, once, and returns its exports. */
  readonly load: (file: string) => unknown;
  /** The parts whose compiled code was used. */
  readonly ready: ReadonlySet<string>;
}

/** Starts the program whose parts are in `folder`. */
export function startProgram(folder: string): void {
  partsIn(folder).load(MAIN);
}

/** The parts in `folder`; none is loaded yet. */
export function partsIn(folder: string): Parts & { readonly scripts: ReadonlyMap<string, Script> } {
  const modules = new Map<string, { exports: unknown }>();
  const scripts = new Map<string, Script>();
  const ready = new Set<string>();
  const requireOther = createRequire(join(folder, MAIN));
  const requirePart = (id: string): unknown =>
    id.startsWith('./') ? load(basename(id)) : requireOther(id);

  function load(file: string): unknown {
    const loaded = modules.get(file);
    if (loaded !== undefined) return loaded.exports;
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const cachedData = readCode(path, text);
    const script = new Script(`${HEAD}${text}\n})`, {
      filename: path,
      columnOffset: -HEAD.length,
      ...(cachedData !== null && { cachedData }),
    });
    scripts.set(file, script);
    if (script.cachedDataRejected === false) ready.add(file);
    const module: { exports: unknown } = { exports: {} };
    modules.set(file, module);
    const run: unknown = script.runInThisContext();
    if (typeof run !== 'function') throw new TypeError(`Cannot load "${path}"`);
    Reflect.apply(run, module.exports, [module.exports, requirePart, module, path, folder]);
    return module.exports;
  }
  return { load, scripts, ready };
}

/**
 * Writes the compiled code of each part of the programs in `folder`, of which each has its parts in a folder "…-parts".
 * All parts but the one that starts the program are run, so that the code holds what they need when they are loaded.
 *
 * @throws NodeJS.ErrnoException when it cannot be written
 */
export function compilePrograms(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.endsWith('-parts')) compileParts(join(folder, name));
  }
}

function compileParts(folder: string): void {
  const files = readdirSync(folder).filter((file) => extname(file) === '.cjs' && file !== MAIN);
  const { load, scripts } = partsIn(folder);
  for (const file of files) load(file);
  for (const [file, script] of scripts) {
    const path = join(folder, file);
    const code = script.createCachedData();
    const fresh = `${codeFile(path)}.${process.pid}`;
    writeFileSync(fresh, Buffer.concat([digestOf(readFileSync(path, 'utf8'), code), code]));
    renameSync(fresh, codeFile(path));
  }
}

/** The code compiled from a part with this text by this Node; null without any, or if the file is not as written. */
function readCode(path: string, text: string): Buffer | null {
  let file: Buffer;
  try {
    file = readFileSync(codeFile(path));
  } catch {
    return null;
  }
  const code = file.subarray(DIGEST_BYTES);
  return digestOf(text, code).equals(file.subarray(0, DIGEST_BYTES)) ? code : null;
}

/** V8 itself checks of the text only its length, and nothing of the code. */
function digestOf(text: string, code: Buffer): Buffer {
  return createHash('sha256')
    .update(`${process.version} ${process.arch} ${text.length} `)
    .update(text)
    .update(code)
    .digest();
}

function codeFile(path: string): string {
  return join(dirname(path), `${basename(path, '.cjs')}.code`);
}

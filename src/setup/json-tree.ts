import { readFile } from 'node:fs/promises';

/** A value of a JSON text and its offsets: `start` inclusive, `end` exclusive. */
export type JsonNode = JsonContainer | JsonScalar;

interface JsonRange {
  readonly start: number;
  readonly end: number;
}

export interface JsonScalar extends JsonRange {
  readonly type: 'scalar';
  readonly value: string | number | boolean | null;
}

export interface JsonContainer extends JsonRange {
  readonly type: 'object' | 'array';
  readonly entries: readonly JsonEntry[];
}

/** A member of an object or an element of an array. */
export interface JsonEntry {
  /** Null in an array. */
  readonly key: string | null;
  /** Of the key, or in an array of the value. */
  readonly start: number;
  readonly value: JsonNode;
  /** Offset of the comma after it; null if none. */
  readonly comma: number | null;
}

export type JsonTree =
  | { readonly ok: true; readonly root: JsonNode }
  | { readonly ok: false; readonly problem: string };

/** White space and comments. */
const GAP = /(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"(?:[^"\\]|\\[\s\S])*"/y;
const WORD = /[\w.+-]+/y;
/** Settings are a few levels deep; more would only overflow the stack. */
const MAX_DEPTH = 100;

interface Reader {
  readonly text: string;
  at: number;
}

/** Names the expected text at an offset; thrown only within this file. */
class Unexpected extends Error {
  override readonly name = 'Unexpected';
  readonly at: number;
  constructor(wanted: string, at: number) {
    super(wanted);
    this.at = at;
  }
}

/** Reads JSON with comments and trailing commas, and keeps all offsets: a part can be changed while the rest keeps its bytes. */
export function readJsonTree(text: string): JsonTree {
  const reader: Reader = { text, at: text.startsWith('\ufeff') ? 1 : 0 };
  try {
    take(GAP, reader);
    const root = readValue(reader, 0);
    take(GAP, reader);
    if (reader.at < text.length) throw new Unexpected('the end of the file', reader.at);
    return { ok: true, root };
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    const before = text.slice(0, error.at).split('\n');
    const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    return { ok: false, problem: `${place}: expected ${error.message}` };
  }
}

function readValue(reader: Reader, depth: number): JsonNode {
  const { text, at } = reader;
  if (depth > MAX_DEPTH) throw new Unexpected(`at most ${MAX_DEPTH} levels`, at);
  if (text[at] === '{') return readContainer(reader, 'object', depth);
  if (text[at] === '[') return readContainer(reader, 'array', depth);
  const value = scalarIn(text[at] === '"' ? take(STRING, reader) : take(WORD, reader));
  if (value === undefined) throw new Unexpected('a value', at);
  return { type: 'scalar', start: at, end: reader.at, value };
}

function readContainer(reader: Reader, type: JsonContainer['type'], depth: number): JsonContainer {
  const start = reader.at;
  const close = type === 'object' ? '}' : ']';
  const entries: JsonEntry[] = [];
  reader.at += 1;
  take(GAP, reader);
  while (reader.text[reader.at] !== close) {
    if (entries.length > 0 && entries.at(-1)?.comma === null) {
      throw new Unexpected(`"," or "${close}"`, reader.at);
    }
    const entryStart = reader.at;
    const key = type === 'object' ? readKey(reader) : null;
    const value = readValue(reader, depth + 1);
    take(GAP, reader);
    const comma = reader.text[reader.at] === ',' ? reader.at : null;
    if (comma !== null) {
      reader.at += 1;
      take(GAP, reader);
    }
    entries.push({ key, start: entryStart, value, comma });
  }
  reader.at += 1;
  return { type, start, end: reader.at, entries };
}

function readKey(reader: Reader): string {
  const { at } = reader;
  const key = scalarIn(take(STRING, reader));
  if (typeof key !== 'string') throw new Unexpected('a key in double quotes', at);
  take(GAP, reader);
  if (reader.text[reader.at] !== ':') throw new Unexpected('":"', reader.at);
  reader.at += 1;
  take(GAP, reader);
  return key;
}

/** Undefined for an invalid JSON value. */
function scalarIn(written: string): JsonScalar['value'] | undefined {
  try {
    const value: unknown = JSON.parse(written);
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Consumes and returns the match of the pattern at the reader's position; empty if it does not match. */
function take(pattern: RegExp, reader: Reader): string {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0] ?? '';
  reader.at += found.length;
  return found;
}

/** A readable JSON file. */
interface JsonFile {
  readonly path: string;
  readonly root: JsonNode;
}

/** Reads the readable files, each once, in their order. */
export async function readJsonTrees(paths: readonly string[]): Promise<readonly JsonFile[]> {
  const read = await Promise.all(
    [...new Set(paths)].map(async (path) => {
      const tree = readJsonTree(await readFile(path, 'utf8').catch(() => ''));
      return tree.ok ? [{ path, root: tree.root }] : [];
    }),
  );
  return read.flat();
}

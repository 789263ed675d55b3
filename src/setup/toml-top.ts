import { parseJson } from '../platform/json.ts';
/** A pair before the first table of a TOML file, by its offsets in the text. */
export interface TomlPair {
  readonly key: string;
  /** Of the first character of its line. */
  readonly start: number;
  /** After the end of its (last) line. */
  readonly end: number;
  /** Verbatim, without a trailing comment. */
  readonly value: string;
}

interface Unread {
  readonly ok: false;
  /** That cannot be parsed, counting from 1. */
  readonly line: number;
}

const PART = String.raw`(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`;
const KEY = new RegExp(String.raw`(${PART}(?:[ \t]*\.[ \t]*${PART})*)[ \t]*=[ \t]*`, 'y');
const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
const TABLE = /[ \t]*\[/y;
const HEADER = /[ \t]*(\[\[?[^\n#]+\]\]?)[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
/** Tokens of a value: strings first, because they may contain any other token. */
const PIECE =
  /"""(?:[^\\]|\\[\s\S])*?"""(?!")|'''[\s\S]*?'''(?!')|"(?!"")(?:[^"\\\n]|\\.)*"|'(?!'')[^'\n]*'|[^\s"'#[\]{}]+|[ \t\r]+|[[\]{}]|#[^\n]*|\n/y;

/** A table of a TOML file; the first one has no header. */
interface TomlTable {
  /** Such as "[[hooks]]"; null: the pairs before the first table. */
  readonly header: string | null;
  /** Of the first character of its header's line. */
  readonly start: number;
  /** After the last pair, or after the header of a table without any. */
  readonly end: number;
  readonly pairs: readonly TomlPair[];
}

/**
 * The pairs before the first table of a TOML file (https://toml.io/en/v1.0.0), in enough detail to add or remove one.
 * Not a parser: returns the line that it cannot parse, and the caller leaves such a file alone.
 */
export function readTomlTop(
  text: string,
): { readonly ok: true; readonly pairs: readonly TomlPair[] } | Unread {
  const read = readPairs(text, text.startsWith('\ufeff') ? 1 : 0);
  return 'pairs' in read ? { ok: true, pairs: read.pairs } : read;
}

/** All tables of a TOML file, in the same detail. */
export function readTomlTables(
  text: string,
): { readonly ok: true; readonly tables: readonly TomlTable[] } | Unread {
  const tables: TomlTable[] = [];
  let start = text.startsWith('\ufeff') ? 1 : 0;
  for (let header: string | null = null, at = start; ;) {
    const read = readPairs(text, at);
    if (!('pairs' in read)) return read;
    tables.push({ header, start, end: read.pairs.at(-1)?.end ?? at, pairs: read.pairs });
    if (read.at >= text.length) return { ok: true, tables };
    const found = matchAt(HEADER, text, read.at);
    if (found === null) return { ok: false, line: lineAt(text, read.at) };
    start = read.at;
    header = (found[1] ?? '').replaceAll(/[ \t]/g, '');
    at = start + found[0].length;
  }
}

/** Pairs up to the next table, and where that begins. */
function readPairs(
  text: string,
  from: number,
): { readonly pairs: readonly TomlPair[]; readonly at: number } | Unread {
  const pairs: TomlPair[] = [];
  let at = from;
  while (at < text.length) {
    if (matchAt(TABLE, text, at) !== null) break;
    const nothing = matchAt(NOTHING, text, at);
    if (nothing !== null) {
      at += nothing[0].length;
      continue;
    }
    const indent = matchAt(/[ \t]*/y, text, at)?.[0].length ?? 0;
    const key = matchAt(KEY, text, at + indent);
    const valueAt = at + indent + (key?.[0].length ?? 0);
    const value = key === null ? null : readValue(text, valueAt);
    if (key === null || value === null) return { ok: false, line: lineAt(text, at) };
    pairs.push({ key: key[1] ?? '', start: at, end: value.end, value: value.text });
    at = value.end;
  }
  return { pairs, at };
}

/** Null if the value is truncated or invalid. */
function readValue(text: string, from: number): { text: string; end: number } | null {
  let at = from;
  let depth = 0;
  let valueEnd = from;
  while (at < text.length) {
    const piece = matchAt(PIECE, text, at)?.[0];
    if (piece === undefined) return null;
    at += piece.length;
    if (piece === '\n' && depth === 0) break;
    if (piece === '[' || piece === '{') depth += 1;
    if (piece === ']' || piece === '}') depth -= 1;
    if (depth < 0) return null;
    if (piece.trim() !== '' && !piece.startsWith('#')) valueEnd = at;
  }
  if (depth !== 0 || valueEnd === from) return null;
  return { text: text.slice(from, valueEnd), end: at };
}

/** The strings of a TOML array of strings; null for any other value. */
export function tomlStrings(value: string): readonly string[] | null {
  const inner = /^\[([\s\S]*)\]$/.exec(value)?.[1];
  if (inner === undefined) return null;
  const words: string[] = [];
  const rest = inner.replace(/"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'/g, (quoted, _, literal) => {
    // A basic string of TOML equals one of JSON, except for escapes that paths do not need.
    const word: unknown = typeof literal === 'string' ? literal : parseJson(quoted);
    if (typeof word !== 'string') return '?';
    words.push(word);
    return 's';
  });
  return /^\s*(?:s\s*(?:,\s*s\s*)*,?\s*)?$/.test(rest) ? words : null;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

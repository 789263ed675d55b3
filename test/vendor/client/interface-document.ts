import { readFileSync } from 'node:fs';

/** The interface document, cut into headed parts. */
export function readInterface(): Map<string, string> {
  const text = readFileSync(
    new URL('../../../../test/fixtures/interface.md', import.meta.url),
    'utf8',
  );
  const parts = new Map<string, string>();
  for (const part of text.split(/^#{2,3} /m).slice(1)) {
    const [heading = ''] = part.split('\n');
    parts.set(heading.trim(), part.slice(heading.length));
  }
  return parts;
}

/** The rows of the tables in a part, without heads; each row a list of cells. */
export function rowsIn(part: string): string[][] {
  const rows: string[][] = [];
  let isHead = true;
  for (const line of part.split('\n')) {
    if (!line.startsWith('|')) isHead = true;
    else if (/^\|[-|]+\|$/.test(line)) isHead = false;
    else if (!isHead) {
      rows.push(
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      );
    }
  }
  return rows;
}

/** The line of a part that begins so, without its beginning. */
export function lineIn(part: string, beginning: string): string {
  const line = part.split('\n').find((candidate) => candidate.startsWith(beginning));
  if (line === undefined) throw new Error(`No line begins with "${beginning}"`);
  return line.slice(beginning.length);
}

/** A field as the document writes it: name and type, or name and the fields inside. */
export interface WrittenField {
  readonly name: string;
  readonly type: string;
  readonly inner: readonly WrittenField[];
}

/** Reads `{a: string, b, c: number, d: {e: boolean}}`: names without a type share the next one. */
export function fieldsInBraces(text: string): WrittenField[] {
  const inside = text.slice(text.indexOf('{') + 1, text.lastIndexOf('}'));
  const fields: WrittenField[] = [];
  let waiting: string[] = [];
  for (const piece of splitOutside(inside)) {
    const colon = piece.indexOf(':');
    const name = (colon === -1 ? piece : piece.slice(0, colon)).trim();
    waiting.push(name);
    if (colon === -1) continue;
    const type = piece.slice(colon + 1).trim();
    const inner = type.startsWith('{') ? fieldsInBraces(type) : [];
    const kind = type.startsWith('{') ? 'object' : type.replace(/ \(.*/, '');
    fields.push(...waiting.map((each) => ({ name: each, type: kind, inner })));
    waiting = [];
  }
  return fields;
}

function splitOutside(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let piece = '';
  for (const character of text) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (character === ',' && depth === 0) {
      pieces.push(piece);
      piece = '';
    } else piece += character;
  }
  return [...pieces, piece];
}

const LISTED =
  /((?:`\w+`(?:, ?| and )?)+) ?\(?(strings?|numbers?|booleans?|objects?|all numbers|array)\b/g;

/** Reads "`a`, `b` (strings); `c` number": names in a row share the type after them. */
export function fieldsInWords(text: string): WrittenField[] {
  const fields: WrittenField[] = [];
  const plain = text.replaceAll(/ \((?!strings|numbers|booleans|objects|all numbers)[^)]*\)/g, '');
  for (const [, names = '', type = ''] of plain.matchAll(LISTED)) {
    const kind = type.replace(/^all /, '').replace(/s$/, '');
    for (const name of namesIn(names)) fields.push({ name, type: kind, inner: [] });
  }
  return fields;
}

/** Everything between backticks. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

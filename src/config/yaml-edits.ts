import { isAlias, isMap, isPair, isScalar, isSeq, parse } from 'yaml';
import type { Document, YAMLMap, YAMLSeq } from 'yaml';

/** A piece of a text to replace. Pieces of one list must not overlap. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The rest stays as written; the library would write it anew. Edits at one place keep order. */
export function withEdits(text: string, edits: readonly TextEdit[]): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  return edits
    .map((edit, order) => ({ ...edit, order }))
    .toSorted((left, right) => right.from - left.from || right.order - left.order)
    .reduce((rest, { from, to, text: piece }) => {
      const written = piece.replaceAll('\n', newline);
      return rest.slice(0, from) + written + rest.slice(to);
    }, text);
}

/** Returns a name as YAML that means the same anywhere. */
export function nameText(name: string): string {
  return /^[\w.-]+$/.test(name) && parse(name) === name ? name : JSON.stringify(name);
}

/** Adds a member to a mapping of the text, in the style of the mapping. @param value in one line */
export function addPair(text: string, map: YAMLMap, key: string, value: string): TextEdit {
  const pair = `${nameText(key)}: ${value}`;
  if (map.flow === true) return addToFlow(map, pair);
  return lineAfter(text, endOf(map), indentOf(text, startOf(map.items[0]?.key)) + pair);
}

/** Adds an item to a sequence of the text, behind the item of this index; -1: before the first. */
export function addItem(text: string, list: YAMLSeq, item: string, behind: number): TextEdit {
  const before = list.items[behind];
  const next = list.items[behind + 1];
  if (list.flow === true) {
    if (before !== undefined || next === undefined) return addToFlow(list, item, before);
    return insertAt(startOf(next), `${item}, `);
  }
  const indent = indentOf(text, startOf(list));
  if (before !== undefined) return lineAfter(text, endOf(before), `${indent}- ${item}`);
  return insertAt(startOf(list), `- ${item}\n${indent}`);
}

/** Adds a name to a value that is one name or a list of names. */
export function addName(text: string, names: unknown, name: string): TextEdit {
  if (isSeq(names)) return addItem(text, names, nameText(name), names.items.length - 1);
  const [from, to] = [startOf(names), endOf(names)];
  return { from, to, text: `[${text.slice(from, to)}, ${nameText(name)}]` };
}

/** Replaces a member of a mapping. @param value in one line */
export function replacePair(map: YAMLMap, from: string, to: string, value: string): TextEdit {
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === from);
  return { from: startOf(pair?.key), to: endOf(pair), text: `${to}: ${value}` };
}

/** Adds lines before a section and its comment; at the end of the text, which ends a line, if there is no such section. */
export function addSection(text: string, root: unknown, before: string, section: string): TextEdit {
  const pair = isMap(root)
    ? root.items.find(({ key }) => isScalar(key) && key.value === before)
    : undefined;
  if (pair === undefined) return insertAt(text.length, section);
  let at = startOf(pair.key);
  for (;;) {
    const lineBefore = text.lastIndexOf('\n', at - 2) + 1;
    if (at === 0 || !text.slice(lineBefore, at).trimStart().startsWith('#')) break;
    at = lineBefore;
  }
  return insertAt(at, `${section}\n`);
}

/** Removes a member of the whole text, with its lines. */
export function removeSection(text: string, root: YAMLMap, key: string): TextEdit {
  const pair = root.items.find((one) => isScalar(one.key) && one.key.value === key);
  const end = text.indexOf('\n', endOf(pair));
  return {
    from: text.lastIndexOf('\n', startOf(pair?.key) - 1) + 1,
    to: end < 0 ? text.length : end + 1,
    text: '',
  };
}

/** Returns the node at a path, behind aliases. */
export function nodeAt(document: Document, path: readonly (string | number)[]): unknown {
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return isAlias(node) ? node.resolve(document) : node;
}

function addToFlow(
  collection: YAMLMap | YAMLSeq,
  item: string,
  behind: unknown = collection.items.at(-1),
): TextEdit {
  return behind === undefined
    ? insertAt(startOf(collection) + 1, ` ${item} `)
    : insertAt(endOf(behind), `, ${item}`);
}

function insertAt(at: number, text: string): TextEdit {
  return { from: at, to: at, text };
}

/** A new line after the one that contains the offset, with its comment. */
function lineAfter(text: string, offset: number, line: string): TextEdit {
  const end = text.slice(0, offset).trimEnd().length;
  const newline = text.slice(end).search(/\r?\n|$/);
  return insertAt(end + newline, `\n${line}`);
}

function indentOf(text: string, offset: number): string {
  return ' '.repeat(offset - (text.lastIndexOf('\n', offset - 1) + 1));
}

function startOf(node: unknown): number {
  return rangeOf(node)?.[0] ?? 0;
}

/** Where a node ends, without the comments and blank lines behind it. */
function endOf(node: unknown): number {
  if (isPair(node)) return Math.max(endOf(node.key), endOf(node.value));
  if ((isMap(node) || isSeq(node)) && node.flow !== true) return endOf(node.items.at(-1));
  return rangeOf(node)?.[1] ?? 0;
}

function rangeOf(node: unknown): readonly number[] | null {
  if (typeof node !== 'object' || node === null || !('range' in node)) return null;
  const { range } = node;
  return Array.isArray(range) && range.every((place) => typeof place === 'number') ? range : null;
}

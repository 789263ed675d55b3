import { isDeepStrictEqual } from 'node:util';

import { memberOf } from './hook-layout.ts';
import type { JsonContainer, JsonEntry, JsonNode } from './json-tree.ts';

/**
 * Appends a member or an element to a container, in the layout of the others. Comments stay with the text before them,
 * a trailing comma stays trailing, and no other byte of the text changes.
 *
 * @param key null in an array
 */
export function addEntry(
  text: string,
  container: JsonContainer,
  key: string | null,
  value: unknown,
): string {
  const { start, end, entries } = container;
  const last = entries.at(-1);
  const from = last === undefined ? start + 1 : endOf(last);
  const close = end - 1;
  const gap = text.slice(from, close);
  const tail = from + gap.trimEnd().length;
  const name = key === null ? '' : `${JSON.stringify(key)}: `;
  const trailing = last !== undefined && last.comma !== null ? ',' : '';

  let rest = tail;
  let added: string;
  if (standsOnLines(text, container, gap)) {
    const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
    const indent = indentOfEntries(text, container);
    const lines = JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', lineEnd + indent);
    const isOneLine = last === undefined && !gap.includes('\n');
    const closing = isOneLine ? lineEnd + indentAt(text, start) : '';
    if (isOneLine) rest = close;
    added = `${lineEnd}${indent}${name}${lines}${trailing}${closing}`;
  } else {
    const space = tail === start + 1 ? '' : ' ';
    added = `${space}${name}${JSON.stringify(value)}${trailing}`;
  }
  const comma = last === undefined || last.comma !== null ? '' : ',';
  const lastEnd = last === undefined ? from : last.value.end;
  return `${text.slice(0, lastEnd)}${comma}${text.slice(lastEnd, tail)}${added}${text.slice(rest)}`;
}

/** Removes an entry with its line and its comma, exactly reverting `addEntry`. Comments stay. */
export function removeEntry(text: string, { start, end, entries }: JsonContainer, at: number) {
  const entry = entries[at];
  if (entry === undefined) throw new RangeError(`No entry ${at} of ${entries.length}`);
  const before = entries[at - 1];
  const gapStart = before === undefined ? start + 1 : endOf(before);
  const gap = text.slice(gapStart, entry.start);
  const cutEnd = endOf(entry);
  const behind = text.slice(cutEnd, end);
  const rest = /^[ \t]*/.exec(behind)?.[0].length ?? 0;
  const isLast = behind.slice(rest).length === 1;
  let cutStart = entry.start;
  let cutTo = cutEnd + rest;
  // Text on the same line must not end up inside a line comment.
  if (/^[ \t]*\r?\n/.test(behind) || (isLast && !endsInLineComment(gap))) {
    cutStart = gapStart + gap.trimEnd().length;
    cutTo = cutEnd;
  }
  if (entries.length === 1 && text.slice(start + 1, cutStart).trim() === '') {
    const left = text.slice(cutTo, end - 1);
    if (left.trim() === '') return text.slice(0, start + 1) + text.slice(end - 1);
  }
  const comma = entry.comma === null ? (before?.comma ?? null) : null;
  const head =
    comma === null
      ? text.slice(0, cutStart)
      : text.slice(0, comma) + text.slice(comma + 1, cutStart);
  return head + text.slice(cutTo);
}

export function replaceValue(text: string, { start, end }: JsonNode, value: unknown): string {
  return text.slice(0, start) + JSON.stringify(value) + text.slice(end);
}

/** The text with the first wrong member mended (`undefined`: not wanted); null: none is. */
export function mendMember(
  text: string,
  handler: JsonContainer,
  wanted: Readonly<Record<string, unknown>>,
): string | null {
  const rank = (key: string): number =>
    wanted[key] === undefined ? 2 : Number(key !== 'args' && key !== 'shell');
  for (const key of Object.keys(wanted).toSorted((a, b) => rank(a) - rank(b))) {
    const value = wanted[key];
    const found = memberOf(handler, key);
    if (value === undefined && found !== null) {
      return removeEntry(text, handler, handler.entries.indexOf(found));
    }
    if (value === undefined) continue;
    if (found === null) return addEntry(text, handler, key, value);
    if (!isDeepStrictEqual(plainValue(found.value), value)) {
      return replaceValue(text, found.value, value);
    }
  }
  return null;
}

/** A text, or a list of texts; other values are of no use here. */
function plainValue(node: JsonNode): unknown {
  return node.type === 'scalar' ? node.value : node.entries.map(({ value }) => plainValue(value));
}

/** Behind the entry and its comma. */
function endOf({ comma, value }: JsonEntry): number {
  return comma === null ? value.end : comma + 1;
}

/** Whether each entry of a container has its own line: as the first one has; required after a line comment. */
function standsOnLines(text: string, { start, entries }: JsonContainer, gap: string): boolean {
  const [first] = entries;
  if (first !== undefined) {
    return endsInLineComment(gap) || startOfLine(text, first.start).trim() === '';
  }
  const isRoot = text.slice(0, start).trim() === '';
  return gap.trim() === '' ? isRoot || text.includes('\n') : gap.includes('\n');
}

/** May be a false positive: two slashes within a block comment count too, which is safe. */
function endsInLineComment(gap: string): boolean {
  return gap.trimEnd().split('\n').at(-1)?.includes('//') ?? false;
}

function indentOfEntries(text: string, { start, entries }: JsonContainer): string {
  const starts = entries.map((entry) => startOfLine(text, entry.start));
  return starts.findLast((line) => line.trim() === '') ?? indentAt(text, start) + indentUnit(text);
}

/** The indentation of the line at an offset. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(startOfLine(text, at))?.[0] ?? '';
}

function startOfLine(text: string, at: number): string {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
}

/** The indentation per level, from the first indented line. */
function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

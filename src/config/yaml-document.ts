import type { Document, Node } from 'yaml';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, Parser, visit } from 'yaml';
import type { DocumentPath, Finding } from './problem.ts';

/** A 1-based position in a text. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

type Fault = Position & { readonly message: string };

export type YamlReading =
  | {
      readonly ok: true;
      /** The document as plain data; null for an empty file. */
      readonly value: unknown;
      /** The position of a finding, or of its nearest existing ancestor. */
      readonly locate: (finding: Pick<Finding, 'path' | 'at'>) => Position;
    }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** More than anyone reads: the later faults follow from the first. */
const MOST_FAULTS = 50;

/**
 * Parses YAML 1.2 and refuses text that would silently mean something else: errors, warnings (an unknown tag becomes a
 * plain string), a %YAML directive (version 1.1 reads `on` as true), keys that are not plain text.
 */
export function readYaml(text: string): YamlReading {
  const strays = strayTokens(text);
  if (strays.length === MOST_FAULTS) return { ok: false, faults: strays };

  const lineCounter = new LineCounter();
  const place = (offset: number): Position => positionOf(lineCounter, offset);
  // Positions are reported separately, hence no pretty errors.
  const document = withoutStacks(() =>
    parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error' }),
  );

  const faults = [...document.errors, ...document.warnings]
    .slice(0, MOST_FAULTS)
    .map(({ pos, message }) => ({ ...place(pos[0]), message: oneLine(message) }));
  if (document.directives?.yaml.explicit === true) {
    faults.push({ ...place(0), message: 'Remove the %YAML directive: hookbell reads YAML 1.2' });
  }
  if (faults.length > 0) return { ok: false, faults };

  const message = 'A key must be plain text';
  const odd = oddKeys(document).map((offset) => ({ ...place(offset), message }));
  if (odd.length > 0) return { ok: false, faults: odd };
  try {
    const value: unknown = document.toJS();
    return { ok: true, value, locate: ({ path, at }) => place(offsetOf(document, path, at)) };
  } catch (error) {
    // The library throws on excessive alias expansion.
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, faults: [{ line: 1, column: 1, message: oneLine(reason) }] };
  }
}

/** Unexpected tokens, at most `MOST_FAULTS`: a text may contain one in every byte. */
function strayTokens(text: string): readonly Fault[] {
  const lineCounter = new LineCounter();
  const faults: Fault[] = [];
  for (const token of new Parser(lineCounter.addNewLine).parse(text)) {
    if (token.type !== 'error') continue;
    faults.push({ ...positionOf(lineCounter, token.offset), message: oneLine(token.message) });
    if (faults.length === MOST_FAULTS) break;
  }
  return faults;
}

function positionOf(lineCounter: LineCounter, offset: number): Position {
  const { line, col } = lineCounter.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** Capturing the unused stacks would take most of the time of an error. */
function withoutStacks<Result>(work: () => Result): Result {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = before;
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Offsets of keys that are lists, mappings or aliases, or that would reach the prototype of an object. */
function oddKeys(document: Document): number[] {
  const offsets: number[] = [];
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && key.value !== '__proto__') return;
      offsets.push(isScalar(key) || isMap(key) || isSeq(key) || isAlias(key) ? startOf(key) : 0);
    },
  });
  return offsets;
}

function offsetOf(document: Document, path: DocumentPath, at: Finding['at']): number {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const [index, part] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(
        ({ key }) => isScalar(key) && String(key.value) === String(part),
      );
      if (pair === undefined) return offset;
      const isLast = index === path.length - 1;
      offset = startOf(isLast && at === 'value' && pair.value !== null ? pair.value : pair.key);
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      if (node === undefined) return offset;
      offset = startOf(node);
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number {
  return isNodeWithRange(node) ? node.range[0] : 0;
}

function isNodeWithRange(node: unknown): node is Node & { range: [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

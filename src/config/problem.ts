import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Converts zod's issues to findings: one per unknown key, and for a union only those of its likeliest branch. */
export function findingsOf(issues: readonly Issue[], base: DocumentPath = []): Finding[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path.map(documentKey)];
    if (issue.code === 'unrecognized_keys') {
      const messages = issue.message.split('\n');
      return issue.keys.map((key, index): Finding => ({
        path: [...path, key],
        at: 'key',
        message: messages[index] ?? issue.message,
      }));
    }
    if (issue.code === 'invalid_key') {
      return [{ path, at: 'key', message: issue.issues[0]?.message ?? issue.message }];
    }
    if (issue.code === 'invalid_union') {
      const branch = likeliest(issue.errors);
      if (branch !== null) return findingsOf(branch, path);
    }
    return [{ path, at: 'value', message: issue.message }];
  });
}

/** YAML mappings have no symbols as keys. */
function documentKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}

/** The union branch that matches best, or null if the choice would be a guess. */
function likeliest(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const ranked = branches
    .map((issues) => ({ issues, distance: distanceOf(issues) }))
    .toSorted((left, right) => left.distance - right.distance);
  const [first, second] = ranked;
  if (first === undefined || first.distance >= WRONG_TYPE) return null;
  return second !== undefined && second.distance === first.distance ? null : first.issues;
}

const WRONG_TYPE = 1_000;
const WRONG_VALUE = 100;

/** The smaller, the likelier the branch was meant: a branch with the right type that fails further down ranks first. */
function distanceOf(issues: readonly Issue[]): number {
  const atRoot = issues.filter(({ path }) => path.length === 0);
  if (atRoot.some(({ code }) => code === 'invalid_type')) return WRONG_TYPE;
  if (atRoot.some(({ code }) => code === 'invalid_value')) return WRONG_VALUE;
  // A suggestion means a typo.
  const suggested = issues.some(({ message }) => message.includes('did you mean')) ? 0.5 : 0;
  return issues.length - suggested;
}

/** An error in the configuration, or (as a warning) a probable mistake. */
export interface Problem {
  readonly file: string;
  /** 1-based; null for the whole file. */
  readonly line: number | null;
  readonly column: number | null;
  /** Such as "routes[2].match.kind"; empty for the whole document. */
  readonly path: string;
  /** Completes a sentence that begins with the path, with the fix if one is known. Never contains a secret. */
  readonly message: string;
}

/** One line for people: `file:line:column path: message`. */
export function formatProblem({ file, line, column, path, message }: Problem): string {
  const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
  return path === '' ? `${place}: ${message}` : `${place} ${path}: ${message}`;
}

/** Keys and indices from the root of the document. */
export type DocumentPath = readonly (string | number)[];

/** A problem before its line is known. */
export interface Finding {
  readonly path: DocumentPath;
  /** Whether the key at the end of the path is wrong, or its value. */
  readonly at: 'key' | 'value';
  readonly message: string;
}

/** Returns a path in readable form: "routes[2].match.kind". */
export function pathText(path: DocumentPath): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

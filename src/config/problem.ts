import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Takes zod's issues apart into findings: one an unknown key, and of a union only what its likeliest branch says. */
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

/** The branch of a union that fits best, or null where the choice would be a guess. */
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

/** The nearer to 0, the likelier the branch was meant: what has the right type and fails further down was. */
function distanceOf(issues: readonly Issue[]): number {
  const atRoot = issues.filter(({ path }) => path.length === 0);
  if (atRoot.some(({ code }) => code === 'invalid_type')) return WRONG_TYPE;
  if (atRoot.some(({ code }) => code === 'invalid_value')) return WRONG_VALUE;
  // A suggestion means that only a letter is wrong.
  const suggested = issues.some(({ message }) => message.includes('did you mean')) ? 0.5 : 0;
  return issues.length - suggested;
}

/** Something in the configuration that cannot work, or (as a warning) is probably not meant. */
export interface Problem {
  readonly file: string;
  /** Counts from 1; null where the file as a whole is meant. */
  readonly line: number | null;
  readonly column: number | null;
  /** Such as "routes[2].match.kind"; empty for the whole document. */
  readonly path: string;
  /** Completes the sentence that begins with the path; with the way out where one is known. Never a secret. */
  readonly message: string;
}

/** One line for people: `file:line:column path: message`. */
export function formatProblem({ file, line, column, path, message }: Problem): string {
  const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
  return path === '' ? `${place}: ${message}` : `${place} ${path}: ${message}`;
}

/** Keys and indices from the top of the document to the place that is meant. */
export type DocumentPath = readonly (string | number)[];

/** A problem that does not know its line yet. */
export interface Finding {
  readonly path: DocumentPath;
  /** Whether the key at the end of the path is to blame, or its value. */
  readonly at: 'key' | 'value';
  readonly message: string;
}

/** Writes a path as people read it: "routes[2].match.kind". */
export function pathText(path: DocumentPath): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

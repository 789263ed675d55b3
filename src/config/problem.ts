import { z } from 'zod';

import { didYouMean } from '../text/suggest.ts';

type RawIssue = z.core.$ZodRawIssue;

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

/** The end of a sentence that begins with the path. Omits values, which may be secrets. */
export function describeIssue(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.input, [issue.expected]);
    case 'invalid_union':
      return describeUnion(issue);
    case 'invalid_value':
      return describeValue(issue.input, issue.values);
    case 'unrecognized_keys':
      // One line per key: `findingsOf` splits them, because each key has its own position in the file.
      return issue.keys
        .map((key) => `is unknown here${didYouMean(key, knownKeys(issue.inst))}`)
        .join('\n');
    case 'too_small':
      return describeTooSmall(issue);
    case 'too_big':
      return describeTooBig(issue.origin, issue.maximum);
    case 'invalid_format':
      return `is not a valid ${formats[issue.format] ?? issue.format}`;
    case 'custom':
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
    default:
      return 'is not valid';
  }
}

const formats: Readonly<Record<string, string>> = {
  url: 'URL',
  email: 'email address',
  regex: 'text',
};

function describeType(input: unknown, expected: readonly string[]): string {
  const wanted = [...new Set(expected.map((type) => nouns[type] ?? type))].join(' or ');
  if (input === undefined) return `is missing, expected ${wanted}`;
  const text = expected.includes('string');
  if (input === null) {
    const hint = text ? ' (quote values that begin with #)' : '';
    return `is empty, expected ${wanted}${hint}`;
  }
  const hint = text && typeof input !== 'object' ? ' (put it in quotes)' : '';
  return `is ${nounOf(input)}, expected ${wanted}${hint}`;
}

function nounOf(input: unknown): string {
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'boolean') return String(input);
  // YAML has .nan and .inf, which are numbers only by type.
  if (typeof input === 'number' && !Number.isFinite(input)) return String(input);
  return nouns[typeof input] ?? typeof input;
}

function describeValue(input: unknown, values: readonly unknown[]): string {
  const hint = typeof input === 'string' ? didYouMean(input, values.map(String)) : '';
  return hint === '' ? `is not ${listed(values)}` : `is unknown${hint}`;
}

function describeUnion(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const types = issue.errors.flatMap(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? [first.expected] : [],
  );
  if (types.length === issue.errors.length && types.length > 0) {
    return describeType(issue.input, types);
  }
  const description = issue.inst instanceof z.ZodType ? issue.inst.description : undefined;
  return description === undefined ? 'is not valid' : `is not valid, expected: ${description}`;
}

function describeTooSmall({
  origin,
  minimum,
  inclusive,
}: Pick<z.core.$ZodIssueTooSmall, 'origin' | 'minimum' | 'inclusive'>): string {
  if (origin === 'string') {
    return minimum === 1 ? 'is empty' : `is shorter than ${minimum} characters`;
  }
  if (origin === 'array') {
    return minimum === 1 ? 'is an empty list' : `has fewer than ${minimum} entries`;
  }
  return inclusive === false ? `is not above ${minimum}` : `is below ${minimum}`;
}

function describeTooBig(origin: string, maximum: number | bigint): string {
  if (origin === 'string') return `is longer than ${maximum} characters`;
  if (origin === 'array') return `has more than ${maximum} entries`;
  return `is above ${maximum}`;
}

function listed(values: readonly unknown[]): string {
  const quoted = values.map((value) => JSON.stringify(value));
  return quoted.length === 1 ? String(quoted[0]) : `one of ${quoted.join(', ')}`;
}

/** The keys that a schema accepts, if it is a mapping with fixed keys. */
export function knownKeys(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodEnum) {
    return schema.keyType.options.map(String);
  }
  return [];
}

/** Parses with our own messages, and without compiling schemas that are used only once. */
export const parseOptions = { error: describeIssue, jitless: true } as const;

type Issue = z.core.$ZodIssue;

/** Converts zod's issues to findings: one per unknown key, and for a union only those of its likeliest branch. */
export function findingsOf(issues: readonly Issue[], base: DocumentPath = []): Finding[] {
  return issues.flatMap((issue) => {
    // YAML mappings have no symbols as keys.
    const path = [
      ...base,
      ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
    ];
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

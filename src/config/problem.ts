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

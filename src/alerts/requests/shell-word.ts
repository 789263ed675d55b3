/**
 * A command in a command line, or what changes its meaning: a variable that is set for it, a redirection, a wrapper such as
 * `sudo`. Each word is written as a shell reads it: one with a value known before it runs, without blanks and signs, stands
 * for itself; another one is quoted, or the source with its variables.
 */
export interface CommandPart {
  readonly type: 'command' | 'wrapper' | 'assignment' | 'redirection';
  readonly words: readonly string[];
}

/** A word of a command: as `CommandPart` has it, and its value; null: known only when it runs. */
export interface ShellWord {
  readonly text: string;
  readonly value: string | null;
}

export interface ShellReading {
  readonly source: string;
  readonly add: (type: CommandPart['type'], words: readonly string[]) => void;
  /** Reads a command line in a word, such as that of `bash -c`. */
  readonly readInner: (line: string) => boolean;
}

/** Whether a shell takes a text as it is. */
export function isPlainWord(text: string): boolean {
  return /^[\w./:@%=,-][\w./:@%+=,-]*$/.test(text);
}

export function quotedWord(value: string): ShellWord {
  if (isPlainWord(value)) return { text: value, value };
  return { text: `'${value.replaceAll("'", String.raw`'\''`)}'`, value };
}

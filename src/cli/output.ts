import { styleText } from 'node:util';

import { displayLine } from '../core/sanitize.ts';

type Colour = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

/**
 * What a command says. Data goes to standard output and nothing else does; talk goes to standard error, so that a
 * pipe gets data alone. Colours follow NO_COLOR, FORCE_COLOR and whether a terminal is there.
 */
export interface Output {
  /** One JSON document. */
  json(value: unknown): void;
  /** One line of data. The text is written as it is: clean foreign text with `displayLine` first. */
  line(text?: string): void;
  /** Columns padded to the widest cell; cells are cleaned for display. */
  table(header: readonly string[], rows: readonly (readonly string[])[]): void;
  /** Talk, unless `--quiet`. */
  say(text: string): void;
  /** Talk only with `--verbose`. */
  detail(text: string): void;
  /** Trouble; always shown. */
  complain(text: string): void;
  /** True when the data goes to a terminal: somebody looks at it. */
  readonly isTerminal: boolean;
  /** Wipes the screen. */
  clear(): void;
  readonly paint: (colour: Colour, text: string) => string;
}

export interface OutputOptions {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

export function createOutput({ stdout, stderr, quiet, verbose }: OutputOptions): Output {
  const paint = (colour: Colour, text: string): string =>
    styleText(colour, text, { stream: stdout, validateStream: true });
  return {
    json(value) {
      stdout.write(`${escapeJson(JSON.stringify(value, null, 2))}\n`);
    },
    line(text = '') {
      stdout.write(`${text}\n`);
    },
    table(header, rows) {
      const cells = rows.map((row) => row.map((cell) => displayLine(cell)));
      const widths = header.map((name, column) =>
        Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)),
      );
      const format = (row: readonly string[]): string =>
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd();
      stdout.write(`${paint('dim', format(header))}\n`);
      for (const row of cells) stdout.write(`${format(row)}\n`);
    },
    say(text) {
      if (!quiet) stderr.write(`${text}\n`);
    },
    detail(text) {
      if (verbose) stderr.write(`${text}\n`);
    },
    complain(text) {
      stderr.write(`${text}\n`);
    },
    isTerminal: 'isTTY' in stdout && stdout.isTTY === true,
    clear() {
      stdout.write('\u001b[H\u001b[2J\u001b[3J');
    },
    paint,
  };
}

/** C1 controls and the two Unicode line ends are legal in JSON and still dangerous in a terminal. */
function escapeJson(text: string): string {
  return text.replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

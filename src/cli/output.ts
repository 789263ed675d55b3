import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

import { csvLine } from '../text/csv.ts';
import { displayLine } from '../text/sanitize.ts';
import { cutToWidth, displayWidth, fitWidths } from './display-width.ts';

type Colour = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

/**
 * The output of a command. Only data goes to standard output; messages go to standard error, so that a pipe gets only
 * data. Colours follow NO_COLOR, FORCE_COLOR and whether the output is a terminal.
 */
export type Output = ReturnType<typeof createOutput>;

interface OutputOptions {
  readonly stdout: Writable;
  readonly stderr: NodeJS.WritableStream;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Between two columns of a table. */
const GAP = '  ';

/** The size of the terminal; null if the data goes to a file or a program, for which it is not cut. */
function sizeOf(stdout: Writable): { readonly columns: number; readonly rows: number } | null {
  if (!('isTTY' in stdout) || stdout.isTTY !== true || !('columns' in stdout)) return null;
  const { columns } = stdout;
  const rows = 'rows' in stdout && typeof stdout.rows === 'number' ? stdout.rows : 0;
  if (typeof columns !== 'number' || columns <= 0) return null;
  return { columns, rows: rows > 0 ? rows : Number.POSITIVE_INFINITY };
}

interface TableOptions {
  /** Numbers of the columns whose cells stand at the right end, such as numbers. */
  readonly right?: ReadonlySet<number>;
  /** How many columns at the left are never cut; 1 if left out. */
  readonly whole?: number;
}

export function createOutput({ stdout, stderr, quiet, verbose }: OutputOptions) {
  const paint = (colour: Colour, text: string): string =>
    styleText(colour, text, { stream: stdout, validateStream: true });
  return {
    /** One JSON document. */
    json(value: unknown): void {
      stdout.write(`${escapeControls(JSON.stringify(value, null, 2))}\n`);
    },
    /** One JSON document on one line, as one of many. */
    jsonLine(value: unknown): void {
      stdout.write(`${escapeControls(JSON.stringify(value))}\n`);
    },
    /** Waits until the reader of the data has consumed most of it, or until the signal. */
    async drained(signal: AbortSignal): Promise<void> {
      if (!stdout.writableNeedDrain) return;
      await once(stdout, 'drain', { signal }).catch(() => undefined);
    },
    /** One line of data. The text is written verbatim: clean foreign text with `displayLine` first. */
    line(text = ''): void {
      stdout.write(`${text}\n`);
    },
    /** Columns padded to the widest cell and, on a terminal, cut to its width; cells are cleaned for display. */
    table(
      header: readonly string[],
      rows: readonly (readonly string[])[],
      { right = new Set(), whole = 1 }: TableOptions = {},
    ): void {
      const cells = rows.map((row) => row.map((cell) => displayLine(cell)));
      const wanted = header.map((name, column) =>
        Math.max(name.length, ...cells.map((row) => displayWidth(row[column] ?? ''))),
      );
      const columns = sizeOf(stdout)?.columns ?? null;
      const gaps = GAP.length * (wanted.length - 1);
      const widths = columns === null ? wanted : fitWidths(wanted, columns - gaps, whole);
      const pad = (cell: string, column: number): string => {
        const width = widths[column] ?? 0;
        const shown = cutToWidth(cell, width);
        const blanks = ' '.repeat(Math.max(0, width - displayWidth(shown)));
        return right.has(column) ? blanks + shown : shown + blanks;
      };
      const format = (row: readonly string[]): string => {
        const line = row.map(pad).join(GAP).trimEnd();
        return columns === null ? line : cutToWidth(line, columns);
      };
      stdout.write(`${paint('dim', format(header))}\n`);
      for (const row of cells) stdout.write(`${format(row)}\n`);
    },
    /** Rows for spreadsheets and programs, the header among them. */
    csv(rows: readonly (readonly (string | number)[])[]): void {
      // It is often printed on a terminal before it is written to a file.
      for (const row of rows) {
        stdout.write(
          csvLine(row.map((cell) => (typeof cell === 'string' ? displayLine(cell) : cell))),
        );
      }
    },
    /** A message, unless `--quiet`. */
    say(text: string): void {
      if (!quiet) stderr.write(`${text}\n`);
    },
    /** A message only with `--verbose`. */
    detail(text: string): void {
      if (verbose) stderr.write(`${text}\n`);
    },
    /** An error or warning; always shown. */
    complain(text: string): void {
      stderr.write(`${text}\n`);
    },
    isTerminal: 'isTTY' in stdout && stdout.isTTY === true,
    /** The present size of the terminal; null if the data goes to a file or a program. */
    size: () => sizeOf(stdout),
    /** Wipes the screen. */
    clear(): void {
      stdout.write('\u001b[H\u001b[2J');
    },
    paint,
  };
}

/** C1 controls, the two Unicode line ends and what turns the direction of writing are legal in JSON, not in a terminal. */
export function escapeControls(text: string): string {
  return text.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

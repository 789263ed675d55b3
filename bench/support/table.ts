import type { Figure } from './benchmark.ts';
import { verdictOn } from './benchmark.ts';

/** The figures as columns: name, measured, bound, verdict, where from. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    shown(figure.value, figure.unit),
    `${figure.better === 'lower' ? '≤' : '≥'} ${shown(figure.bound, figure.unit)}`,
    verdictOn(figure),
    figure.note,
  ]);
  return alignedRows(rows);
}

/** Rows as columns that are as wide as their widest cell. */
export function alignedRows(rows: readonly (readonly string[])[]): string {
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function shown(value: number, unit: string): string {
  return `${value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 })} ${unit}`;
}

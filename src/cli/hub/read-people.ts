import { UsageError } from '../../platform/errors.ts';

interface PersonRow {
  readonly email: string;
  readonly name: string;
  readonly team: string;
}

/**
 * Reads a CSV with the columns email, name and team; the first line may name them, in any order.
 *
 * @throws UsageError with the line of the first row without an address
 */
export function readPeople(text: string): readonly PersonRow[] {
  const rows = readCsv(text.replace(/^\uFEFF/, ''));
  const [first = []] = rows;
  const names = first.map((field) => field.trim().toLowerCase());
  const hasHead = names.includes('email');
  const columns = hasHead ? names : ['email', 'name', 'team'];
  return rows.slice(hasHead ? 1 : 0).flatMap((fields, index): readonly PersonRow[] => {
    if (fields.every((field) => field.trim() === '')) return [];
    const of = (name: string): string => fields[columns.indexOf(name)]?.trim() ?? '';
    const email = of('email');
    if (!email.includes('@')) {
      throw new UsageError(`Row ${index + (hasHead ? 2 : 1)} has no email address`);
    }
    return [{ email, name: of('name'), team: of('team') }];
  });
}

/** Fields in quotes may hold commas, line ends and doubled quotes. */
function readCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (found === null) throw new UsageError(`Row ${rows.length} has a quote that does not end`);
    const [, quoted, plain = '', end] = found;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',' && end !== '') rows.push([]);
  }
  return rows;
}

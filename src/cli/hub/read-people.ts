import { UsageError } from '../../platform/errors.ts';
import { parseCsv } from '../../text/csv.ts';

interface PersonRow {
  readonly email: string;
  readonly name: string;
  readonly team: string;
}

/**
 * Reads a CSV with the columns email, name and team; the first line may name them, in any order.
 *
 * @throws UsageError with the line of the first row without an address, or with a fault in its quotes
 */
export function readPeople(text: string): readonly PersonRow[] {
  const rows = parseCsv(text);
  const names = rows[0]?.fields.map((field) => field.trim().toLowerCase()) ?? [];
  const hasHead = names.includes('email');
  const columns = hasHead ? names : ['email', 'name', 'team'];
  return rows.slice(hasHead ? 1 : 0).flatMap(({ line, fields, fault }): readonly PersonRow[] => {
    if (fault !== null) throw new UsageError(`Row ${line} cannot be read: ${fault}`);
    if (fields.every((field) => field.trim() === '')) return [];
    const of = (name: string): string => fields[columns.indexOf(name)]?.trim() ?? '';
    const email = of('email');
    if (!email.includes('@')) throw new UsageError(`Row ${line} has no email address`);
    return [{ email, name: of('name'), team: of('team') }];
  });
}

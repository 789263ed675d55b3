/**
 * One line of CSV (RFC 4180, with its line end). A text that a spreadsheet would run as a formula gets an apostrophe
 * in front (https://owasp.org/www-community/attacks/CSV_Injection); numbers stay numbers.
 */
export function csvLine(fields: readonly (string | number)[]): string {
  return `${fields.map(fieldText).join(',')}\r\n`;
}

function fieldText(field: string | number): string {
  if (typeof field === 'number') return String(field);
  const text = /^[=+\-@\t\r]/.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/*
 * The store's statements are written for SQLite, in SQL that both databases understand where there is such. The rest is
 * translated here.
 */

const translations: readonly (readonly [RegExp, string])[] = [
  [/json_group_array\((\w+)\)/g, "coalesce(json_agg($1), '[]')::text"],
  [/group_concat\(([\w.]+)\)/g, "string_agg($1::text, ',')"],
  // A search by its index for each number of a row, however few rows there were when the plan was made.
  [/\bIN \((SELECT CAST\(value AS BIGINT\) FROM json_each\(\?\))\)/g, '= ANY (ARRAY ($1))'],
  [/json_each\(\?\)/g, 'json_array_elements_text(?::json) AS json_each (value)'],
  [/json_valid\(\w+\)/g, 'true'],
  [/json_extract\((\w+), '\$\.(\w+)'\)/g, "text_in_json($1, '$2')"],
  [/last_insert_rowid\(\)/g, 'lastval()'],
  [/\binstr\(/g, 'strpos('],
  // It fixes the order of a join, which the planner of PostgreSQL finds itself.
  [/\bCROSS JOIN\b/g, 'JOIN'],
  // It keeps a term away from an index.
  [/\+(?=[a-z])/g, ''],
];

/** A statement of the store for PostgreSQL. */
export function forPostgres(sql: string): string {
  const translated = translations.reduce(
    (text, [pattern, replacement]) => text.replaceAll(pattern, replacement),
    sql,
  );
  return withNumbers(withGreatest(translated));
}

/** `?` and `?1` as `$1`; the texts of literals stay. */
function withNumbers(sql: string): string {
  let count = 0;
  return sql.replaceAll(/'(?:[^']|'')*'|\?(\d*)/g, (found: string, number: string | undefined) => {
    if (found.startsWith("'")) return found;
    count += 1;
    return `$${number === '' || number === undefined ? count : number}`;
  });
}

/** On SQLite, `max` of several values is their greatest, and only `max` of one is an aggregate. */
function withGreatest(sql: string): string {
  return sql.replaceAll(
    /\b(max|min)(?=\()/g,
    (name: string, _name: string, at: number, whole: string) => {
      if (!hasSeveral(whole, at + name.length)) return name;
      return name === 'max' ? 'greatest' : 'least';
    },
  );
}

/** Whether the parenthesis that opens at `start` holds several values. */
function hasSeveral(sql: string, start: number): boolean {
  let depth = 0;
  for (const character of sql.slice(start)) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth === 0) return false;
    if (character === ',' && depth === 1) return true;
  }
  return false;
}

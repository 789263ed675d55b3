/** The column of a merged statement's rows that says for which values they are; counts from 1. */
export const PLACE = 'batch_place';

/**
 * A statement that does for many lists of values what `sql` does for one: its parameters are arrays, one for each
 * parameter of `sql`. Rows have the place of their values in the column `PLACE`, also those of a change; an INSERT
 * returns none. A change must not concern the same row for two lists.
 *
 * Null for a statement whose meaning could change: with locks, or whose rows are in an order.
 *
 * @param sql of PostgreSQL
 * @param types of its parameters
 */
export function mergedStatement(sql: string, types: readonly string[]): string | null {
  if (types.length === 0 || /\badvisory|\bFOR (?:UPDATE|SHARE)\b/.test(sql)) return null;
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
  const names = types.map((_, index) => `p${index + 1}`);
  const batch = `unnest(${arrays.join(', ')}) WITH ORDINALITY AS batch (${names.join(', ')}, ${PLACE})`;
  const own = withColumns(sql);
  const verb = /^\w+/.exec(sql)?.[0];
  if (verb === 'SELECT') return mergedSelect(own, batch);
  if (verb === 'INSERT') return mergedInsert(own, batch);
  if (verb === 'UPDATE') return mergedUpdate(own, batch);
  return null;
}

/** The parameters as columns of the batch; the texts of literals stay. */
function withColumns(sql: string): string {
  return sql.replaceAll(/'(?:[^']|'')*'|\$(\d+)/g, (found: string, number: string | undefined) =>
    number === undefined ? found : `batch.p${number}`,
  );
}

/** OFFSET keeps it a search for each of the values, by its own index, whatever the planner thinks of their number. */
function mergedSelect(sql: string, batch: string): string | null {
  const isOne = /\bLIMIT 1(?: OFFSET batch\.p\d+)?$/.test(sql);
  if (!isOne && /\bORDER BY\b/.test(sql)) return null;
  return `SELECT ${PLACE}, found.* FROM ${batch} CROSS JOIN LATERAL (${sql}${isOne ? '' : ' OFFSET 0'}) AS found`;
}

/** In the order of the batch, so that generated numbers are too. */
function mergedInsert(sql: string, batch: string): string | null {
  const conflictAt = clauseAt(sql, ' ON CONFLICT ');
  const conflict = conflictAt === -1 ? '' : sql.slice(conflictAt);
  if (conflict.includes('batch.') || conflict.includes('DO NOTHING')) return null;
  const insert = conflictAt === -1 ? sql : sql.slice(0, conflictAt);
  const parts = /^(INSERT INTO \w+ \([^)]*\)) VALUES \((.*)\)$/s.exec(insert);
  if (parts === null) return null;
  return `${parts[1]} SELECT ${parts[2]} FROM ${batch} ORDER BY ${PLACE}${conflict}`;
}

function mergedUpdate(sql: string, batch: string): string | null {
  const at = clauseAt(sql, ' WHERE ');
  if (at === -1 || clauseAt(sql, ' FROM ') !== -1 || clauseAt(sql, ' RETURNING ') !== -1)
    return null;
  return `${sql.slice(0, at)} FROM ${batch}${sql.slice(at)} RETURNING ${PLACE}`;
}

/** Where a clause of the statement itself begins, not one of a query within it; -1 without it. */
function clauseAt(sql: string, clause: string): number {
  let depth = 0;
  for (let at = 0; at < sql.length; at += 1) {
    if (sql[at] === '(') depth += 1;
    if (sql[at] === ')') depth -= 1;
    if (depth === 0 && /\s/.test(sql[at] ?? '') && matches(sql, at, clause)) return at;
  }
  return -1;
}

/** White space of any kind counts as a space. */
function matches(sql: string, at: number, clause: string): boolean {
  return sql.slice(at, at + clause.length).replaceAll(/\s/g, ' ') === clause;
}

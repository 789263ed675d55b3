import type { PoolClient, QueryConfig } from 'pg';

import type { DatabaseRequest, DatabaseReply } from '../query.ts';
import { bindable, readInteger, readText, type Row, type Value } from '../row.ts';
import { forPostgres } from './dialect.ts';
import { mergedStatement, PLACE } from './merged-statement.ts';

/** Statements that are prepared once per connection; some are written for a number of values. */
const MOST_PREPARED = 500;

/** A statement of the store on the server. */
interface Statement {
  readonly text: string;
  /** Unset: it is not prepared. */
  readonly name: string | undefined;
  /** The merged statement for several lists of values; null: impossible, unset: unknown until it has run once. */
  merged?: string | null;
}

/** Sends the statements of queries. */
export interface Statements {
  answer(client: PoolClient, ask: DatabaseRequest): Promise<DatabaseReply>;
}

/** Sends a statement; rejects with what a failure of the server is for the store. */
type Send = (
  client: PoolClient,
  query: QueryConfig<unknown[]>,
) => Promise<{ readonly rows: readonly Row[]; readonly rowCount: number | null }>;

export function createStatements(send: Send): Statements {
  const known = new Map<string, Statement>();

  function statementOf(sql: string): Statement {
    const found = known.get(sql);
    if (found !== undefined) return found;
    const name = known.size < MOST_PREPARED ? `s${known.size}` : undefined;
    const statement = { text: forPostgres(sql), name };
    if (name !== undefined) known.set(sql, statement);
    return statement;
  }

  async function answerOne(
    client: PoolClient,
    { text, name }: Statement,
    values: readonly Value[],
  ): Promise<DatabaseReply> {
    const { rows, rowCount } = await send(client, {
      text,
      values: values.map(bindable),
      ...(name !== undefined && { name }),
    });
    return { rows, changes: rowCount ?? 0 };
  }

  /** In one statement, if it can be merged. */
  async function answerEach(
    client: PoolClient,
    statement: Statement,
    each: readonly (readonly Value[])[],
  ): Promise<readonly DatabaseReply[]> {
    const replies: DatabaseReply[] = [];
    if (statement.merged === undefined) {
      replies.push(await answerOne(client, statement, each[0] ?? []));
      statement.merged = await mergedOf(client, statement);
    }
    const left = each.slice(replies.length);
    if (left.length > 1 && typeof statement.merged === 'string') {
      return [...replies, ...(await answerMerged(client, statement, left))];
    }
    for (const values of left) replies.push(await answerOne(client, statement, values));
    return replies;
  }

  async function answerMerged(
    client: PoolClient,
    { text: own, merged: text, name }: Statement,
    each: readonly (readonly Value[])[],
  ): Promise<readonly DatabaseReply[]> {
    const columns = (each[0] ?? []).map((_, index) =>
      each.map((values) => bindable(values[index] ?? null)),
    );
    const { rows } = await send(client, { text: text ?? '', name: `${name}m`, values: columns });
    if (own.startsWith('INSERT')) return each.map(() => ({ rows: [], changes: 1 }));
    const found: Row[][] = each.map(() => []);
    for (const row of rows) found[readInteger(row, PLACE) - 1]?.push(row);
    return found.map((of) => ({ rows: of, changes: of.length }));
  }

  /** The server knows the types of a statement's parameters once it has prepared it. */
  async function mergedOf(client: PoolClient, { text, name }: Statement): Promise<string | null> {
    if (name === undefined) return null;
    const { rows } = await send(client, {
      text: "SELECT array_to_string(parameter_types::text[], ',') AS types FROM pg_prepared_statements WHERE name = $1",
      values: [name],
    });
    const types = rows[0] === undefined ? '' : readText(rows[0], 'types');
    return types === '' ? null : mergedStatement(text, types.split(','));
  }

  return {
    async answer(client, { sql, values, each }) {
      const statement = statementOf(sql);
      if (each === undefined) return answerOne(client, statement, values);
      return { rows: [], changes: 0, each: await answerEach(client, statement, each) };
    },
  };
}

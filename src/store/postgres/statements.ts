import type { PoolClient, QueryConfig } from 'pg';

import type { DatabaseRequest, DatabaseReply } from '../query.ts';
import { bindable, type Row, type Value } from '../row.ts';
import { forPostgres } from './dialect.ts';

/** Statements that are prepared once per connection; some are written for a number of values. */
const MOST_PREPARED = 500;

/** A statement of the store on the server. */
interface Statement {
  readonly text: string;
  /** Unset: it is not prepared. */
  readonly name: string | undefined;
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

  return {
    answer: (client, { sql, values }) => answerOne(client, statementOf(sql), values),
  };
}

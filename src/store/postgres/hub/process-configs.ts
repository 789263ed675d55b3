import type { ProcessConfig } from '../../../core/hub/hub-store.ts';
import type { Connection, Query } from '../../query.ts';
import { readText } from '../../row.ts';

/** Stores the configuration of this process, and returns those of the others that are connected, oldest connection first. */
export function* shareConfig(
  connection: Connection,
  { host, program, hashes }: ProcessConfig,
  proofs: string,
): Query<readonly ProcessConfig[]> {
  const values = [host, program, hashes, proofs];
  const changed = yield* connection.run(
    `INSERT INTO process_configs AS known (process, host, program, hashes, proofs)
    VALUES (current_setting('application_name'), ?, ?, ?, ?)
    ON CONFLICT (process) DO UPDATE SET host = excluded.host, program = excluded.program, hashes = excluded.hashes,
      proofs = excluded.proofs
    WHERE (known.host, known.program, known.hashes, known.proofs)
      IS DISTINCT FROM (excluded.host, excluded.program, excluded.hashes, excluded.proofs)`,
    ...values,
  );
  if (changed > 0) {
    yield* connection.run(
      `DELETE FROM process_configs WHERE process <> current_setting('application_name')
      AND NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = process)`,
    );
  }
  const rows = yield* connection.all(
    `SELECT host, program, hashes FROM process_configs
    WHERE process <> current_setting('application_name')
      AND EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = process)
    ORDER BY host, process`,
  );
  return rows.map((row) => ({
    host: readText(row, 'host'),
    program: readText(row, 'program'),
    hashes: readText(row, 'hashes'),
  }));
}

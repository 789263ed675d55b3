import type { AuditEntry, AuditParty } from '../../../core/hub/audit.ts';
import type { AuditCheck, AuditRecord } from '../../../core/hub/hub-records.ts';
import { sha256 } from '../../../platform/crypto.ts';
import type { Connection, Query } from '../../query.ts';
import { field, insertInto, nullable, read, type Row, stored } from '../../row.ts';

/** Stands for the hash of the row before the first. */
const FIRST = '0'.repeat(64);

const storedRow = stored<AuditRecord>({
  seq: field.integer,
  at: field.integer,
  actor: field.text,
  action: field.text,
  target: nullable(field.text),
  detail: field.text,
});
const insertRow = insertInto('audit', [...storedRow.columns, 'hash']);

/** Appends to the audit, in the transaction of what is recorded. Others that append wait until it ends: call it last. */
export function* audit(
  connection: Connection,
  now: number,
  { actor, action, target, detail }: AuditEntry,
): Query<void> {
  const by = yield* textOf(connection, actor);
  const about = target === null ? null : yield* textOf(connection, target);
  yield* connection.run(
    "SELECT pg_advisory_xact_lock(hashtextextended('hookbell audit ' || current_schema(), 0))",
  );
  const last = yield* connection.get('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1');
  const seq = last === null ? 1 : read.integer(last, 'seq') + 1;
  const before = last === null ? FIRST : read.text(last, 'hash');
  const text = storable(JSON.stringify(detail));
  const row = { seq, at: now, actor: by, action, target: about, detail: text };
  yield* connection.run(insertRow, ...storedRow.valuesOf(row), hashOf(before, row));
}

/** A hash of the previous row's hash and this row's columns, as a JSON array. */
function hashOf(before: string, { seq, at, actor, action, target, detail }: AuditRecord): string {
  return sha256(`${before}\n${JSON.stringify([seq, at, actor, action, target, detail])}`);
}

/** A person is named by an id, which identifies no one once the person is forgotten. */
function* textOf(connection: Connection, party: AuditParty): Query<string> {
  switch (party.type) {
    case 'person': {
      const row = yield* connection.get('SELECT id FROM people WHERE email = ?', party.email);
      return `person ${row === null ? 'unknown' : read.text(row, 'id')}`;
    }
    case 'machine':
    case 'admin':
      return storable(`${party.type} ${party.name}`);
    case 'hub':
      return 'hub';
  }
}

/** As the database gives it back. */
function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '')).toString();
}

/** The latest rows, newest first; ids of people who are not forgotten are replaced by their addresses. */
export function* listAudit(connection: Connection, limit: number): Query<readonly AuditRecord[]> {
  const sql = `SELECT seq, at, ${named('actor')} AS actor, action, ${named('target')} AS target, detail
    FROM audit ORDER BY seq DESC LIMIT ?`;
  const rows = yield* connection.all(sql, limit);
  return rows.map(storedRow.read);
}

const PAGE = 1_000;

/** Recomputes every hash, up to the first that is wrong. */
export function* verifyAudit(connection: Connection, expected: string | null): Query<AuditCheck> {
  let rows = 0;
  let expectedAt: number | null = null;
  let lastHash: string | null = null;
  for (;;) {
    const page: readonly Row[] = yield* connection.all(
      'SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?',
      rows,
      PAGE,
    );
    for (const row of page) {
      const known = storedRow.read(row);
      const broken = (reason: string): AuditCheck => ({
        rows,
        broken: { seq: rows + 1, reason },
        lastHash,
        expectedAt,
      });
      if (known.seq !== rows + 1) return broken('the row is missing');
      const hash = hashOf(lastHash ?? FIRST, known);
      if (hash !== read.text(row, 'hash')) return broken('the row or its hash was changed');
      rows += 1;
      lastHash = hash;
      if (hash === expected) expectedAt = rows;
    }
    if (page.length < PAGE) return { rows, broken: null, lastHash, expectedAt };
  }
}

/** A column that names a person by an id, with the address in its place. */
function named(column: string): string {
  return `coalesce('person ' || (SELECT email FROM people WHERE 'person ' || id = ${column}), ${column})`;
}

import type { AuditEntry, AuditParty } from '../../../core/hub/audit.ts';
import type { AuditCheck, AuditRecord } from '../../../core/hub/hub-records.ts';
import { sha256 } from '../../../platform/crypto.ts';
import type { Connection, Query } from '../../query.ts';
import { readInteger, type Row, readText, readTextOrNull } from '../../row.ts';

/** Stands for the hash of the row before the first. */
const FIRST = '0'.repeat(64);

/**
 * Appends to the audit, inside the transaction of what is recorded. Others that append wait until it ends, so call it
 * last.
 */
export function* audit(
  connection: Connection,
  now: number,
  { actor, action, target, detail }: AuditEntry,
): Query<void> {
  const row = {
    at: now,
    actor: yield* textOf(connection, actor),
    action,
    target: target === null ? null : yield* textOf(connection, target),
    detail: storable(JSON.stringify(detail)),
  };
  yield* connection.run(
    "SELECT pg_advisory_xact_lock(hashtextextended('hookbell audit ' || current_schema(), 0))",
  );
  const last = yield* connection.get('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1');
  const seq = last === null ? 1 : readInteger(last, 'seq') + 1;
  const before = last === null ? FIRST : readText(last, 'hash');
  yield* connection.run(
    'INSERT INTO audit (seq, at, actor, action, target, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
    seq,
    row.at,
    row.actor,
    row.action,
    row.target,
    row.detail,
    hashOf(before, { seq, ...row }),
  );
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
      return `person ${row === null ? 'unknown' : readText(row, 'id')}`;
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
  const rows = yield* connection.all(
    `SELECT seq, at, ${named('actor')} AS actor, action, ${named('target')} AS target, detail
    FROM audit ORDER BY seq DESC LIMIT ?`,
    limit,
  );
  return rows.map(readAuditRow);
}

/** Rows that are read at a time. */
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
      const read = readAuditRow(row);
      const broken = (reason: string): AuditCheck => ({
        rows,
        broken: { seq: rows + 1, reason },
        lastHash,
        expectedAt,
      });
      if (read.seq !== rows + 1) return broken('the row is missing');
      const hash = hashOf(lastHash ?? FIRST, read);
      if (hash !== readText(row, 'hash')) return broken('the row or its hash was changed');
      rows += 1;
      lastHash = hash;
      if (hash === expected) expectedAt = rows;
    }
    if (page.length < PAGE) return { rows, broken: null, lastHash, expectedAt };
  }
}

function readAuditRow(row: Row): AuditRecord {
  return {
    seq: readInteger(row, 'seq'),
    at: readInteger(row, 'at'),
    actor: readText(row, 'actor'),
    action: readText(row, 'action'),
    target: readTextOrNull(row, 'target'),
    detail: readText(row, 'detail'),
  };
}

/** A column that names a person by an id, with the address in its place. */
function named(column: string): string {
  return `coalesce('person ' || (SELECT email FROM people WHERE 'person ' || id = ${column}), ${column})`;
}

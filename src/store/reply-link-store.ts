import type { ReplyLink, ReplyLinkStore } from '../core/notification.ts';
import type { Connection, Query } from './query.ts';
import type { Database } from './database.ts';
import { field, nullable, stored } from './row.ts';

/** How long an expired link is kept, so that its page can report it, ms. */
const REMEMBERED_MS = 7 * 86_400_000;

const storedLink = stored<ReplyLink>({
  tokenHash: field.text,
  eventId: field.text,
  createdAt: field.integer,
  expiresAt: field.integer,
  usedAt: nullable(field.integer),
  outcome: nullable(field.word(['sent', 'unknown'])),
});

export function replyLinkStoreOn({ reads, writes }: Database): ReplyLinkStore {
  return {
    add: writes(addReplyLink),
    find: reads(readReplyLink),
    use: writes(useReplyLink),
    recordOutcome: writes(recordReplyLinkOutcome),
  };
}

function* addReplyLink(
  connection: Connection,
  { tokenHash, eventId, createdAt, expiresAt }: Parameters<ReplyLinkStore['add']>[0],
): Query<void> {
  yield* connection.run('DELETE FROM reply_links WHERE expires_at < ?', createdAt - REMEMBERED_MS);
  const sql =
    'INSERT INTO reply_links (token_hash, event_id, created_at, expires_at) VALUES (?, ?, ?, ?)';
  yield* connection.run(sql, tokenHash, eventId, createdAt, expiresAt);
}

function* readReplyLink(connection: Connection, tokenHash: string): Query<ReplyLink | null> {
  const sql = `SELECT link.token_hash, link.event_id, link.created_at, link.expires_at, used.used_at, used.outcome
     FROM reply_links AS link
     LEFT JOIN reply_links AS used ON used.event_id = link.event_id AND used.used_at IS NOT NULL
     WHERE link.token_hash = ? ORDER BY used.outcome IS NULL LIMIT 1`;
  const row = yield* connection.get(sql, tokenHash);
  return row === null ? null : storedLink.read(row);
}

function* useReplyLink(connection: Connection, tokenHash: string, now: number): Query<boolean> {
  const sql = `UPDATE reply_links SET used_at = ?1 WHERE token_hash = ?2 AND expires_at > ?1 AND NOT EXISTS
    (SELECT 1 FROM reply_links AS other WHERE other.event_id = reply_links.event_id AND other.used_at IS NOT NULL)`;
  return (yield* connection.run(sql, now, tokenHash)) === 1;
}

const SAME_EVENT = 'event_id = (SELECT event_id FROM reply_links WHERE token_hash = ?)';

function* recordReplyLinkOutcome(
  connection: Connection,
  tokenHash: string,
  outcome: 'sent' | 'unknown' | 'refused',
  now: number,
): Query<void> {
  if (outcome === 'refused') {
    // Not if a reply was sent meanwhile.
    const sql = `UPDATE reply_links SET used_at = NULL WHERE ${SAME_EVENT} AND outcome IS NULL`;
    yield* connection.run(sql, tokenHash);
    return;
  }
  const sql = `UPDATE reply_links SET outcome = ?, used_at = coalesce(used_at, ?)
    WHERE ${SAME_EVENT} AND (used_at IS NOT NULL OR token_hash = ?)`;
  yield* connection.run(sql, outcome, now, tokenHash, tokenHash);
}

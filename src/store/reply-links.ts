import type { ReplyLink, ReplyLinkStore } from '../core/reply-link.ts';
import type { Connection } from './connection.ts';
import { integer, integerOrNull, oneOfOrNull, text } from './row.ts';

/** A link that has expired is remembered for so long, so that its page can say so, ms. */
const REMEMBERED_MS = 7 * 86_400_000;

export function addReplyLink(
  connection: Connection,
  { tokenHash, eventId, createdAt, expiresAt }: Parameters<ReplyLinkStore['addReplyLink']>[0],
): void {
  connection.run('DELETE FROM reply_links WHERE expires_at < ?', createdAt - REMEMBERED_MS);
  connection.run(
    'INSERT INTO reply_links (token_hash, event_id, created_at, expires_at) VALUES (?, ?, ?, ?)',
    tokenHash,
    eventId,
    createdAt,
    expiresAt,
  );
}

export function readReplyLink(connection: Connection, tokenHash: string): ReplyLink | null {
  const row = connection.get('SELECT * FROM reply_links WHERE token_hash = ?', tokenHash);
  if (row === null) return null;
  return {
    tokenHash: text(row, 'token_hash'),
    eventId: text(row, 'event_id'),
    createdAt: integer(row, 'created_at'),
    expiresAt: integer(row, 'expires_at'),
    usedAt: integerOrNull(row, 'used_at'),
    outcome: oneOfOrNull(row, 'outcome', ['sent', 'unknown']),
  };
}

export function useReplyLink(connection: Connection, tokenHash: string, now: number): boolean {
  const sql =
    'UPDATE reply_links SET used_at = ? WHERE token_hash = ? AND used_at IS NULL AND expires_at > ?';
  return connection.run(sql, now, tokenHash, now) === 1;
}

export function settleReplyLink(
  connection: Connection,
  tokenHash: string,
  outcome: 'sent' | 'unknown' | 'refused',
  now: number,
): void {
  if (outcome === 'refused') {
    connection.run('UPDATE reply_links SET used_at = NULL WHERE token_hash = ?', tokenHash);
  } else {
    const sql =
      'UPDATE reply_links SET outcome = ?, used_at = coalesce(used_at, ?) WHERE token_hash = ?';
    connection.run(sql, outcome, now, tokenHash);
  }
}

import {
  ApiConnectionError,
  AuthError,
  CircuitOpenError,
  type Client,
  NotFoundError,
  RateLimitError,
  type Session,
  type SessionListItem,
} from '../client/index.ts';
import type { SessionPollPolicy } from '../../config/poller-schema.ts';

/** Reads sessions for the poller; rejects as the client does. */
export interface SessionReader {
  /** `isWhole`: the list is complete, without unreadable sessions. */
  readonly list: () => Promise<{
    readonly items: readonly SessionListItem[];
    readonly isWhole: boolean;
  }>;
  readonly get: (sessionId: string) => Promise<SessionAnswer>;
}

export type SessionAnswer =
  | { readonly type: 'found'; readonly session: Session }
  /** The session does not exist. */
  | { readonly type: 'gone' }
  /** This one cannot be read; others may be readable. */
  | { readonly type: 'unreadable'; readonly error: unknown };

const PAGE = 100;

/** Reads sessions with background priority. */
export function sessionReader(
  { sessions }: Pick<Client, 'sessions'>,
  { most, tags, computers }: Pick<SessionPollPolicy, 'most' | 'tags' | 'computers'>,
  signal: AbortSignal,
): SessionReader {
  const call = { priority: 'background', signal } as const;

  function isWanted({ sessionSettings, computerId }: SessionListItem): boolean {
    if ((sessionSettings?.archivedAt ?? null) !== null) return false;
    const names = (sessionSettings?.tags ?? []).map(({ name }) => name ?? '');
    return (
      (tags === null || names.some((name) => tags.includes(name))) &&
      (computers === null || computers.includes(computerId ?? ''))
    );
  }

  return {
    async list() {
      const items: SessionListItem[] = [];
      let read = 0;
      let isReadable = true;
      for await (const page of sessions.list({ limit: Math.min(most, PAGE) }, call).pages()) {
        read += page.items.length + page.badItems.length;
        isReadable &&= page.badItems.length === 0;
        items.push(...page.items.filter(isWanted));
        if (read >= most && page.next !== null) return { items, isWhole: false };
      }
      return { items, isWhole: isReadable };
    },
    async get(sessionId) {
      try {
        const session = await sessions.get({ sessionId }, { ...call, maxRetries: 0 });
        return { type: 'found', session };
      } catch (error) {
        if (error instanceof NotFoundError) return { type: 'gone' };
        if (isAboutAll(error)) throw error;
        return { type: 'unreadable', error };
      }
    },
  };
}

/** Whether every other request would fail in the same way. */
function isAboutAll(error: unknown): boolean {
  return [ApiConnectionError, AuthError, CircuitOpenError, RateLimitError].some(
    (kind) => error instanceof kind,
  );
}

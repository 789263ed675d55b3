import { AuthError, ForbiddenError, InsecureAddressError, NotFoundError } from './client/index.ts';
import { RateLimitError, ServerError, UsageError, sessionCredits } from './client/index.ts';
import type { CallOptions, Client, Session } from './client/index.ts';
import type { ServiceAnswer, ServiceSession, SessionService } from '../core/looked-up.ts';

/** Retry interval for a refused key, which may have been replaced at its source. */
const REFUSED_KEY_MS = 600_000;
const RATE_LIMITED_MS = 60_000;

/** Reads sessions from the vendor's service over HTTP, one request per question. */
export function createSessionService({
  sessions,
  computers,
}: Pick<Client, 'sessions' | 'computers'>): SessionService {
  return {
    session: (sessionId, signal) =>
      answer(async () => sessionOf(await sessions.get({ sessionId }, once(signal)))),
    async computer(computerId, signal) {
      const named = await answer(async () => {
        const { name } = await computers.get({ computerId }, once(signal));
        return name;
      });
      // A key without access to computers may have access to sessions.
      return named.type === 'refused' ? { type: 'unknown' } : named;
    },
    async reach(signal) {
      const listed = await answer(async () => {
        await sessions.list({ limit: 1 }, once(signal)).all({ max: 1 });
        return null;
      });
      const reason = 'The service has no sessions for this organization';
      return listed.type === 'unknown' ? { type: 'refused', reason } : listed;
    },
  };
}

/** The look-up decides when to retry. */
function once(signal: AbortSignal): CallOptions {
  return { signal, maxRetries: 0 };
}

function sessionOf(session: Session): ServiceSession {
  const activeMs = session.sessionSettings?.assistantActiveTimeMs ?? null;
  const credits = sessionCredits(session);
  return {
    title: session.title ?? null,
    status: session.status,
    computerId: session.computerId ?? null,
    activeMs: activeMs !== null && activeMs >= 0 ? activeMs : null,
    credits: credits === null ? null : { amount: credits.credits, source: credits.source },
  };
}

async function answer<Found>(ask: () => Promise<Found>): Promise<ServiceAnswer<Found>> {
  try {
    return { type: 'found', found: await ask() };
  } catch (error) {
    return answerOf(error);
  }
}

function answerOf(error: unknown): Exclude<ServiceAnswer<never>, { readonly type: 'found' }> {
  if (error instanceof InsecureAddressError) return { type: 'refused', reason: error.message };
  // An id that does not fit a path cannot exist at the service.
  if (error instanceof NotFoundError || error instanceof UsageError) return { type: 'unknown' };
  const reason = error instanceof Error ? error.message : 'Unknown error';
  if (error instanceof ForbiddenError) return { type: 'refused', reason };
  if (error instanceof AuthError) return { type: 'failed', reason, retryAfterMs: REFUSED_KEY_MS };
  if (error instanceof RateLimitError) {
    return { type: 'failed', reason, retryAfterMs: error.retryAfterMs ?? RATE_LIMITED_MS };
  }
  const retryAfterMs = error instanceof ServerError ? error.retryAfterMs : null;
  return { type: 'failed', reason, retryAfterMs };
}

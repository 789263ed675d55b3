import type { z } from 'zod';

import { fillPath } from './address.ts';
import type { Caller } from './request-caller.ts';
import type { CallOptions, ClientOptions } from './client-options.ts';
import {
  AmbiguousWriteError,
  ApiError,
  type ApiErrorFacts,
  mayHaveHappened,
  ApiUsageError,
  wasAccepted,
} from './api-errors.ts';
import { type AddedMessage, messageRoutes } from './messages.ts';
import { checkParameters, factsOf } from './define-routes.ts';
import { type ApiSession, sessionRoutes, type SessionStatus } from './sessions.ts';

const messageRoute = messageRoutes['sessions.addMessage'];
type Input = z.output<typeof messageRoute.parameters>;

export type AddMessageResult =
  | { readonly outcome: 'delivered'; readonly inferred: false; readonly answer: AddedMessage }
  | {
      /** The response was lost; the session shows that the message arrived. */
      readonly outcome: 'delivered';
      readonly inferred: true;
      /** Null if the session was not reread. */
      readonly status: SessionStatus | null;
    };

export interface AddMessageOptions extends CallOptions {
  /** Called with the session right before the message is sent; if it throws, the message is not sent. */
  readonly onBefore?: (session: ApiSession) => void;
}

/** Settings of the operations that take more than one request. */
export type MethodSettings = Required<
  Pick<ClientOptions, 'now' | 'sleep' | 'windowDays' | 'graceMs' | 'maxMessageBytes'>
>;

/**
 * Adds a user message, and never twice: a message starts a turn of the agent, and the service has no idempotency key
 * (https://github.com/anthropics/anthropic-sdk-java/issues/370). If the response is lost, the session's `messageCount` and
 * `updatedAt` before and after show the outcome.
 *
 * @throws AmbiguousWriteError when the message did not arrive or the outcome is unknown, also after an abort
 */
export async function addMessage(
  { caller, sleep, graceMs, maxMessageBytes }: MethodSettings & { readonly caller: Caller },
  input: unknown,
  { onBefore, ...options }: AddMessageOptions,
): Promise<AddMessageResult> {
  const parameters = checkParameters(messageRoute, input);
  refuseLarge(parameters, maxMessageBytes);
  const { sessionId, computerId } = parameters;
  const look = async (): Promise<ApiSession> => {
    const get = sessionRoutes['sessions.get'];
    return (await caller.call(get, { sessionId, computerId }, options)).value;
  };

  const before = await look();
  onBefore?.(before);
  try {
    const { value } = await caller.call(messageRoute, parameters, options);
    return { outcome: 'delivered', inferred: false, answer: value };
  } catch (error) {
    if (!(error instanceof ApiError)) throw lost(error, sessionId);
    if (wasAccepted(error)) return { outcome: 'delivered', inferred: true, status: null };
    if (!mayHaveHappened(error)) throw error;
    return reconcile(before, look, error, () => sleep(graceMs, options.signal));
  }
}

async function reconcile(
  before: ApiSession,
  look: () => Promise<ApiSession>,
  cause: ApiError,
  grace: () => Promise<void>,
): Promise<AddMessageResult> {
  let after: ApiSession;
  try {
    after = await look();
    if (isUnmoved(before, after)) {
      // The service may still be working on it.
      await grace();
      after = await look();
    }
  } catch (error) {
    throw ambiguous('unknown', 'the session cannot be reread', { cause, also: error });
  }
  if (isUnmoved(before, after)) {
    throw ambiguous('not-delivered', 'the session shows no new message', { cause });
  }
  // While the agent is busy, its own messages change the count as well.
  if (after.messageCount > before.messageCount && before.status === 'idle') {
    return { outcome: 'delivered', inferred: true, status: after.status };
  }
  throw ambiguous('unknown', 'the session changed, but perhaps for another reason', { cause });
}

function isUnmoved(before: ApiSession, after: ApiSession): boolean {
  return after.messageCount === before.messageCount && after.updatedAt === before.updatedAt;
}

function ambiguous(
  outcome: 'not-delivered' | 'unknown',
  reason: string,
  { cause, also }: { cause: ApiError; also?: unknown },
): AmbiguousWriteError {
  const { route, method, path, status, attempts, requestId } = cause;
  const facts: ApiErrorFacts = { route, method, path, status, attempts, requestId };
  const causes = also === undefined ? cause : new AggregateError([cause, also], cause.message);
  const lostAnswer = `the response was lost, and ${reason}`;
  return new AmbiguousWriteError(lostAnswer, { ...facts, cause: causes, outcome });
}

function lost(cause: unknown, sessionId: string): AmbiguousWriteError {
  const facts = factsOf(messageRoute, fillPath(messageRoute.path, { sessionId }));
  const reason = 'the call was aborted; whether the message was added is unknown';
  return new AmbiguousWriteError(reason, { ...facts, attempts: 1, cause, outcome: 'unknown' });
}

function refuseLarge({ text, images = [], files = [] }: Input, maxBytes: number): void {
  const parts = [
    text,
    ...images.map(({ data }) => data),
    ...files.flatMap(({ data = '', parsedData = '' }) => [data, parsedData]),
  ];
  const encoder = new TextEncoder();
  const bytes = parts.reduce((sum, part) => sum + encoder.encode(part).byteLength, 0);
  if (bytes <= maxBytes) return;
  throw new ApiUsageError(
    `text and attachments have ${bytes} bytes, limit ${maxBytes}; the limit of the service is unknown`,
    { ...factsOf(messageRoute), attempts: 0 },
  );
}

import type { JsonObject } from '../../../../src/platform/json.ts';
import { type Random, randomFor } from '../random.ts';
import { createMessages, type StoredMessage } from './messages-data.ts';
import { MODELS } from './telemetry.ts';

export type StoredStatus = 'idle' | 'pending' | 'running';

/** A session and its later states as the clock advances. */
export interface StoredSession {
  readonly sessionId: string;
  status: StoredStatus;
  readonly createdAt: number;
  updatedAt: number;
  title?: string;
  completedAt?: number;
  computerId?: string;
  sessionSettings?: JsonObject;
  readonly messages: StoredMessage[];
  /** Oldest first. */
  readonly coming: { readonly at: number; readonly status: StoredStatus }[];
}

const COUNT = 47;
const HOUR_MS = 3_600_000;

/** How long a session is pending, and then running. */
const PENDING_MS = 2_000;
const RUNNING_MS = 20_000;

const TITLES = ['Fix the build', 'Upgrade <Router> & tests', 'Räume auf 🧹', 'Write the changelog'];

/** @param computerIds the computers sessions are spread over; every third one has none */
export function createSessions(
  seed: number,
  now: number,
  computerIds: readonly string[],
): readonly StoredSession[] {
  return Array.from({ length: COUNT }, (_, index): StoredSession => {
    const random = randomFor(seed, 'session', index);
    const sessionId = sessionIdOf(seed, index);
    const updatedAt = now - index * 6 * HOUR_MS - random.integer(1_000, HOUR_MS);
    const createdAt = updatedAt - random.integer(1, 4) * HOUR_MS;
    const session: StoredSession = {
      sessionId,
      status: 'idle',
      createdAt,
      updatedAt,
      messages: createMessages(seed, sessionId, random.integer(2, 20), {
        from: createdAt,
        until: updatedAt,
      }),
      coming: [],
    };
    if (index % 5 !== 4) session.title = `${random.pick(TITLES)} (${index + 1})`;
    if (index % 3 !== 2) session.computerId = random.pick(computerIds);
    if (index % 9 !== 8) session.sessionSettings = settingsOf(random, index, createdAt);
    if (index < 2) startWork(session, now);
    else if (index < 5) startRunning(session, now + index * PENDING_MS);
    else session.completedAt = updatedAt;
    return session;
  });
}

/** Known before the sessions are made, since computers name the sessions that installed them. */
export function sessionIdOf(seed: number, index: number): string {
  return `sess_${randomFor(seed, 'session-id', index).hex(20)}`;
}

/** Makes a session pending; the clock makes it running, and then idle. */
export function startWork(session: StoredSession, now: number): void {
  session.status = 'pending';
  delete session.completedAt;
  session.coming.splice(
    0,
    Infinity,
    { at: now + PENDING_MS, status: 'running' },
    { at: now + PENDING_MS + RUNNING_MS, status: 'idle' },
  );
}

/** Lets a user write to a session at a time to come, by which it gets work. */
export function planWork(session: StoredSession, at: number): void {
  session.coming.push(
    { at, status: 'pending' },
    { at: at + PENDING_MS, status: 'running' },
    { at: at + PENDING_MS + RUNNING_MS, status: 'idle' },
  );
}

function startRunning(session: StoredSession, now: number): void {
  session.status = 'running';
  session.coming.push({ at: now + RUNNING_MS, status: 'idle' });
}

function settingsOf(random: Random, index: number, createdAt: number): JsonObject {
  const usage = tokenUsage(random);
  return {
    model: random.pick(MODELS).id,
    specModeModel: random.pick(MODELS).id,
    providerLockTimestamp: new Date(createdAt).toISOString(),
    assistantActiveTimeMs: random.integer(10_000, 4_000_000),
    tokenUsage: usage,
    inclusiveTokenUsage: { ...usage, serviceCredits: usage.serviceCredits + 1_000 },
    childInclusiveTokenUsageBySessionId:
      index % 4 === 0 ? { [`sess_child${index}`]: tokenUsage(random) } : {},
    ...(index % 6 === 5 ? { archivedAt: new Date(createdAt + HOUR_MS).toISOString() } : {}),
    tags:
      index % 2 === 0 ? [{ name: 'nightly', metadata: { run: index, nested: { ok: true } } }] : [],
    enabledToolIds: ['Read', 'Edit'],
    disabledToolIds: index % 3 === 0 ? ['WebSearch'] : [],
  };
}

function tokenUsage(random: Random) {
  return {
    inputTokens: random.integer(10_000, 900_000),
    outputTokens: random.integer(500, 30_000),
    cacheCreationTokens: random.integer(0, 9_000),
    cacheReadTokens: random.integer(0, 500_000),
    thinkingTokens: random.integer(0, 5_000),
    serviceCredits: random.integer(1_000, 200_000),
  };
}

/** Adds a message to the end of a session, which is changed by it. */
export function addMessageTo(
  session: StoredSession,
  {
    seed,
    at,
    ...said
  }: { readonly seed: number; readonly at: number } & (
    | { readonly role: 'user'; readonly text: string; readonly userMessageSource: string }
    | { readonly role: 'assistant'; readonly text: string }
  ),
): StoredMessage {
  const random = randomFor(seed, said.role, session.sessionId, session.messages.length);
  const parentId = session.messages.at(-1)?.id;
  const { text, ...rest } = said;
  const message = {
    id: `msg_${random.hex(16)}`,
    content: [{ id: `block_${random.hex(8)}`, text }],
    createdAt: at,
    updatedAt: at,
    ...(parentId === undefined ? {} : { parentId }),
    ...rest,
    visibility: 'both',
    isUserVisible: true,
    isError: false,
  };
  session.messages.push(message);
  session.updatedAt = at;
  return message;
}

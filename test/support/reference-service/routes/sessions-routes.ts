import {
  type RouteAnswer,
  type Call,
  success,
  pathPart,
  refuse,
  type ServedRoute,
  serve,
} from '../call.ts';
import {
  anyText,
  hasFields,
  isArrayOf,
  isBase64,
  isNonEmpty,
  isNumber,
  isObject,
  isPageSize,
  isString,
} from '../request-checks.ts';
import { addMessageTo, type StoredSession, startWork } from '../data/sessions-data.ts';
import { isJsonObject } from '../../../../src/platform/json.ts';
import { cutPage } from '../paging.ts';

const tag = hasFields({ name: isString, metadata: isObject }, ['name']);

/** Settings that can be written: token usage is reported, not set. */
const settings = hasFields({
  model: isString,
  specModeModel: isString,
  providerLockTimestamp: isString,
  assistantActiveTimeMs: isNumber,
  archivedAt: isString,
  tags: isArrayOf(tag),
  enabledToolIds: isArrayOf(isString),
  disabledToolIds: isArrayOf(isString),
});

const sessionUpdate = hasFields({ sessionSettings: settings }, ['sessionSettings']);

const newMessage = hasFields(
  {
    text: isNonEmpty,
    images: isArrayOf(hasFields({ data: isBase64 }, ['data'])),
    files: isArrayOf(
      hasFields({ data: isString, parsedData: isString, name: isString, path: isString }),
    ),
    computerId: isString,
  },
  ['text'],
);

const V0 = '/api/v0/sessions';
const computer = { checks: { computerId: anyText } };

export const servedSessions: readonly ServedRoute[] = [
  serve('sessions.list', `GET ${V0}`, list, {
    query: { checks: { limit: isPageSize, cursor: anyText, ...computer.checks } },
  }),
  serve('sessions.get', `GET ${V0}/{sessionId}`, get, { query: computer }),
  serve('sessions.update', `PATCH ${V0}/{sessionId}`, update, { body: sessionUpdate }),
  serve('sessions.addMessage', `POST ${V0}/{sessionId}/messages`, addMessage, {
    body: newMessage,
  }),
  serve('sessions.getMessage', `GET ${V0}/{sessionId}/messages/{messageId}`, getMessage, {
    query: computer,
  }),
];

function list(call: Call): RouteAnswer {
  const computerId = call.query.get('computerId');
  if (computerId !== undefined && !hasComputer(call, computerId)) return noComputer(computerId);
  const sessions = call.world.sessions
    .filter((session) => computerId === undefined || session.computerId === computerId)
    .toSorted((one, other) => other.createdAt - one.createdAt);
  const page = cutPage(call, sessions);
  if (page.isRefusal) return page;
  return success({
    sessions: page.rows.map((session) => {
      const { status, ...item } = shown(session);
      return call.knobs.listsStatus === true ? { ...item, status } : item;
    }),
    pagination: { hasMore: page.hasMore, nextCursor: page.next },
  });
}

function get(call: Call): RouteAnswer {
  const session = find(call);
  return session === undefined ? noSession(call) : success(shown(session));
}

/** Each setting sent replaces the one there was; all others stay. */
function update(call: Call): RouteAnswer {
  const session = find(call);
  if (session === undefined) return noSession(call);
  const { sessionSettings } = call.body;
  if (isJsonObject(sessionSettings)) {
    session.sessionSettings = { ...session.sessionSettings, ...sessionSettings };
  }
  session.updatedAt = call.now;
  return success(shown(session));
}

function addMessage(call: Call): RouteAnswer {
  const session = find(call);
  if (session === undefined) return noSession(call);
  const { text, computerId } = call.body;
  if (typeof computerId === 'string' && !hasComputer(call, computerId)) {
    return noComputer(computerId);
  }
  const { id: messageId } = addMessageTo(session, {
    seed: call.world.seed,
    at: call.now,
    role: 'user',
    text: String(text),
    userMessageSource: 'sessions_api',
  });
  if (session.status === 'idle') startWork(session, call.now);
  return success({ messageId, status: session.status });
}

function getMessage(call: Call): RouteAnswer {
  const session = find(call);
  if (session === undefined) return noSession(call);
  const messageId = pathPart(call, 'messageId');
  const message = session.messages.find(({ id }) => id === messageId);
  return message === undefined ? refuse(404, `No message "${messageId}"`) : success(message);
}

/** A session as responses carry it. */
function shown(session: StoredSession) {
  const { messages, coming: _, ...fields } = session;
  return { ...fields, messageCount: messages.length };
}

/** With a `computerId` in the query, only that computer is asked. */
function find(call: Call): StoredSession | undefined {
  const computerId = call.query.get('computerId');
  return call.world.sessions.find(
    (session) =>
      session.sessionId === pathPart(call, 'sessionId') &&
      (computerId === undefined || session.computerId === computerId),
  );
}

function hasComputer(call: Call, computerId: string): boolean {
  return call.world.computers.some(({ id }) => id === computerId);
}

function noComputer(computerId: string): RouteAnswer {
  return refuse(404, `No computer "${computerId}"`);
}

function noSession(call: Call): RouteAnswer {
  return refuse(404, `No session "${pathPart(call, 'sessionId')}"`);
}

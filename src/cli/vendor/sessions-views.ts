import { childUsage, routes, textForPeople } from '../../vendor/client/index.ts';
import type { JsonObject } from '../../platform/json.ts';
import { isJsonObject } from '../../platform/json.ts';
import type { Column } from './column.ts';
import { numberText, valueIn } from './column.ts';
import type { View } from './show.ts';

const model: Column = { name: 'model', from: 'sessionSettings.model' };
const messages: Column = { name: 'messages', from: 'messageCount', kind: 'number' };
const updated: Column = { name: 'updated', from: 'updatedAt', kind: 'time' };
const tags: Column = { name: 'tags', from: tagNames };
const credits: Column = { name: 'service credits', from: serviceCredits, kind: 'number' };

export const sessionListView: View = {
  columns: [
    { name: 'session', from: 'sessionId' },
    { name: 'status', from: 'status' },
    updated,
    messages,
    model,
    { name: 'title', from: 'title' },
    { name: 'created', from: 'createdAt', kind: 'time', csvOnly: true },
    { name: 'completed', from: 'completedAt', kind: 'time', csvOnly: true },
    { name: 'computer', from: 'computerId', csvOnly: true },
    { ...credits, csvOnly: true },
    { ...tags, csvOnly: true },
  ],
  empty: 'No sessions found',
};

export const sessionView: View = {
  columns: [
    { name: 'session', from: 'sessionId' },
    { name: 'title', from: 'title' },
    { name: 'status', from: 'status' },
    messages,
    { name: 'created', from: 'createdAt', kind: 'time' },
    updated,
    { name: 'completed', from: 'completedAt', kind: 'time' },
    { name: 'archived', from: 'sessionSettings.archivedAt', kind: 'time' },
    { name: 'computer', from: 'computerId' },
    model,
    { name: 'spec mode model', from: 'sessionSettings.specModeModel' },
    credits,
    { name: 'child sessions', from: childSessions, kind: 'lines' },
    tags,
    { name: 'enabled tools', from: 'sessionSettings.enabledToolIds' },
    { name: 'disabled tools', from: 'sessionSettings.disabledToolIds' },
  ],
};

export const addedMessageView: View = {
  columns: [
    { name: 'message', from: 'messageId' },
    { name: 'agent is', from: 'status' },
  ],
};

export const messageView: View = {
  columns: [
    { name: 'message', from: 'id' },
    { name: 'role', from: 'role' },
    { name: 'source', from: 'userMessageSource' },
    { name: 'visibility', from: 'visibility' },
    { name: 'error', from: 'isError' },
    { name: 'created', from: 'createdAt', kind: 'epoch' },
    { name: 'updated', from: 'updatedAt', kind: 'epoch' },
    { name: 'answers', from: 'parentId' },
    { name: 'text', from: textOf, kind: 'lines' },
  ],
};

function tagNames(item: JsonObject): unknown {
  const found = valueIn(item, { from: 'sessionSettings.tags' });
  return Array.isArray(found) ? found.filter(isJsonObject).map(({ name }) => name) : undefined;
}

/** The relation of the two numbers is not documented: one is shown, they are never added. */
function serviceCredits(item: JsonObject): unknown {
  const settings = 'sessionSettings';
  return (
    valueIn(item, { from: `${settings}.inclusiveTokenUsage.serviceCredits` }) ??
    valueIn(item, { from: `${settings}.tokenUsage.serviceCredits` })
  );
}

/** Each with its credits if its usage has the expected shape, which is not documented. */
function childSessions(item: JsonObject): unknown {
  const session = routes['sessions.get'].response.safeParse(item).data;
  if (session === undefined) return undefined;
  return [...childUsage(session)].map(([id, { usage }]) =>
    typeof usage?.serviceCredits === 'number' ? `${id}: ${numberText(usage.serviceCredits)}` : id,
  );
}

function textOf(item: JsonObject): unknown {
  const message = routes['sessions.getMessage'].response.safeParse(item).data;
  if (message === undefined) return undefined;
  return textForPeople(message) ?? '(hidden message: use --json)';
}

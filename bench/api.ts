import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';

import { UserRow, envelopeOf } from '../src/vendor/client/analytics/rows.ts';
import { createClient } from '../src/vendor/client/index.ts';
import { parseResponse } from '../src/vendor/client/parse-response.ts';
import type { Benchmark, Figure } from './support/benchmark.ts';
import { ratio } from './support/ratio.ts';

const ROWS = 20_000;
const PAGES = 500;

/** The client beside the least that any client must do: read the JSON, and fetch the pages. */
export const api: Benchmark = {
  name: 'api',
  async run() {
    return [await parsing(), await walking()];
  },
};

function parsing(): Promise<Figure> {
  const schema = envelopeOf(UserRow);
  const row = {
    user_email: 'ada@example.test',
    date: '2026-03-01',
    tool_calls: 120,
    billable_tokens: 4_500,
    messages: 60,
    primary_model: 'model-a',
    primary_model_tier: 'thinking',
    delegation_level: 'auto-high',
    languages: ['TypeScript', 'Go'],
  };
  const data = Array.from({ length: ROWS }, (_, index) => ({ user_id: `user-${index}`, ...row }));
  const text = JSON.stringify({ data, meta: { org_id: 'o1', has_more: false } });
  return ratio({
    name: `client, parse and check ${ROWS} user rows`,
    bound: 12,
    than: 'JSON.parse',
    rounds: 10,
    ours: () =>
      timed(() => {
        const parsed = parseResponse(schema, JSON.parse(text), ['data'], () => {});
        if (!parsed.ok || parsed.value.data.length !== ROWS) throw new Error('Rows are missing');
      }),
    theirs: () => timed(() => void JSON.parse(text)),
  });
}

async function walking(): Promise<Figure> {
  const server = await openPages();
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It does not listen');
  const baseUrl = `http://127.0.0.1:${address.port}`;
  const client = createClient({
    baseUrl,
    apiKey: 'bench',
    requestQueue: { requestsPerSecond: 1e6, burst: 1e6 },
  });
  try {
    return await ratio({
      name: `client, walk ${PAGES} pages of sessions`,
      bound: 4,
      than: 'fetch and JSON',
      rounds: 5,
      ours: () =>
        timed(async () => {
          const sessions = await client.sessions.list({ limit: 20 }).all({ max: 1e6 });
          if (sessions.length !== PAGES * 20) throw new Error('Sessions are missing');
        }),
      theirs: () =>
        timed(async () => {
          for (let page = 0; page < PAGES; page += 1) {
            await (await fetch(`${baseUrl}/?cursor=${page}`)).json();
          }
        }),
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function openPages(): Promise<Server> {
  const sessions = Array.from({ length: 20 }, (_, index) => ({
    sessionId: `s${index}`,
    messageCount: 4,
    createdAt: 1_773_000_000_000,
    updatedAt: 1_773_000_100_000,
    title: 'Fix the parser',
  }));
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://bench').searchParams;
    const next = Number(query.get('cursor') ?? 0) + 1;
    const pagination = { hasMore: next < PAGES, nextCursor: String(next) };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ sessions, pagination }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function timed(task: () => void | Promise<void>): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

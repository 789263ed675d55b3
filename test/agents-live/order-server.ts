// An MCP server with a tool that asks the person to fill in a form, over standard input and output.
// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
import { createInterface } from 'node:readline';

import { isJsonObject, parseJson } from '../../src/platform/json.ts';

const tool = {
  name: 'order',
  description: 'Orders parts',
  inputSchema: { type: 'object', properties: {} },
};
const form = {
  mode: 'form',
  message: 'How many parts should I order?',
  requestedSchema: {
    type: 'object',
    properties: {
      count: { type: 'integer', title: 'Count', description: 'Number of parts' },
      speed: { type: 'string', enum: ['normal', 'express'] },
    },
    required: ['count'],
  },
};

/** The call that waits for the person. */
let waiting: unknown = null;

for await (const line of createInterface({ input: process.stdin })) {
  const message = parseJson(line);
  if (isJsonObject(message)) take(message);
}

function take({ id, method, params, result }: Readonly<Record<string, unknown>>): void {
  if (id === undefined) return;
  if (method === 'initialize') {
    const version = isJsonObject(params) ? params['protocolVersion'] : null;
    const serverInfo = { name: 'shop', version: '1' };
    send({ id, result: { protocolVersion: version, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') send({ id, result: { tools: [tool] } });
  else if (method === 'tools/call') {
    waiting = id;
    send({ id: 'form', method: 'elicitation/create', params: form });
  } else if (id === 'form') {
    const text = `The person said ${JSON.stringify(result)}`;
    send({ id: waiting, result: { content: [{ type: 'text', text }] } });
  } else if (method !== undefined) {
    send({ id, error: { code: -32_601, message: 'There is no such method' } });
  }
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

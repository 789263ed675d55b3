// An MCP server with a tool that asks the person to fill in a form, and one that asks to open a link, over standard input and output.
// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
import { createInterface } from 'node:readline';

import { isJsonObject, parseJson } from '../../src/platform/json.ts';

const inputSchema = { type: 'object', properties: {} };
const tools = [
  { name: 'order', description: 'Orders parts', inputSchema },
  { name: 'pay', description: 'Pays for parts', inputSchema },
];
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

const link = {
  mode: 'url',
  elicitationId: 'payment',
  url: 'https://shop.example/pay',
  message: 'Please pay for the parts',
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
  } else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call') {
    waiting = id;
    const isPayment = isJsonObject(params) && params['name'] === 'pay';
    send({ id: 'asked', method: 'elicitation/create', params: isPayment ? link : form });
  } else if (id === 'asked') {
    const text = `The person said ${JSON.stringify(result)}`;
    send({ id: waiting, result: { content: [{ type: 'text', text }] } });
  } else if (method !== undefined) {
    send({ id, error: { code: -32_601, message: 'There is no such method' } });
  }
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

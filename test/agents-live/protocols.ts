import type { ServerResponse } from 'node:http';

import { isJsonObject } from '../../src/platform/json.ts';

export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Either a text or calls. */
export interface Reply {
  readonly text: string | null;
  readonly calls: readonly ToolCall[];
}

/** What a request says that the scripts depend on. */
export interface Conversation {
  /** The texts of the person, the oldest first. */
  readonly prompts: readonly string[];
  /** How many tools were called since the last of them. */
  readonly toolCalls: number;
  /** The names of the tools there are. */
  readonly tools: readonly string[];
  readonly streamed: boolean;
  /** The answer has to be JSON: a title is asked for. */
  readonly wantsJson: boolean;
}

type Json = Readonly<Record<string, unknown>>;

interface Protocol {
  read(body: Json): Conversation;
  write(response: ServerResponse, reply: Reply, options: { readonly streamed: boolean }): void;
  error(status: number, message: string): Json;
}

export function protocolOf(path: string): Protocol | null {
  const { pathname } = new URL(path, 'http://127.0.0.1');
  if (pathname.endsWith('/messages')) return anthropic;
  if (pathname.endsWith('/responses')) return responses;
  if (pathname.endsWith('/chat/completions')) return chat;
  if (pathname.endsWith(':streamGenerateContent')) return gemini(true);
  return pathname.endsWith(':generateContent') ? gemini(false) : null;
}

/** One entry of a conversation, in whatever protocol. */
interface Entry {
  readonly prompt: string | null;
  readonly calls: number;
}

/** What the agent itself says to the model in the name of the person, except what starts a turn: a subagent's report, a hook's words. */
const reminder =
  /^\s*<(system-reminder|mode_changed_notice)>(?![^]*(?:<task-notification>|Stop hook feedback:))[^]*<\/\1>\s*$/;

function conversation(
  entries: readonly Entry[],
  rest: Pick<Conversation, 'tools' | 'streamed' | 'wantsJson'>,
): Conversation {
  const isPrompt = ({ prompt }: Entry): boolean => prompt !== null && !reminder.test(prompt);
  const last = entries.findLastIndex(isPrompt);
  const calls = entries.slice(last + 1).reduce((sum, entry) => sum + entry.calls, 0);
  return {
    prompts: entries.filter(isPrompt).flatMap(({ prompt }) => prompt ?? []),
    toolCalls: calls,
    ...rest,
  };
}

/** The tool by which Claude Code's model loads those that are not offered from the start. */
export const LOADER = 'ToolSearch';

const usage = { input_tokens: 100, output_tokens: 10 };
let made = 0;

function newId(prefix: string): string {
  made += 1;
  return `${prefix}${process.pid}${String(made).padStart(8, '0')}`;
}

const anthropic: Protocol = {
  read(body) {
    const entries = objects(body['messages']).map((message): Entry => {
      const blocks = contentOf(message);
      const words = textIn(blocks);
      return {
        prompt: message['role'] === 'user' && words !== '' ? words : null,
        calls: blocks.filter(({ type, name }) => type === 'tool_use' && name !== LOADER).length,
      };
    });
    return conversation(entries, {
      tools: names(body['tools']),
      streamed: body['stream'] === true,
      wantsJson: isJsonObject(body['output_config']) && 'format' in body['output_config'],
    });
  },
  write(response, { text, calls }, { streamed }) {
    const blocks =
      calls.length === 0
        ? [{ type: 'text', text }]
        : calls.map((call) => ({ type: 'tool_use', id: newId('toolu_'), ...call }));
    const message = {
      id: newId('msg_'),
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      stop_sequence: null,
      usage,
    };
    const reason = calls.length === 0 ? 'end_turn' : 'tool_use';
    if (!streamed) return sendJson(response, { ...message, content: blocks, stop_reason: reason });
    const parts = blocks.flatMap((block, index) => {
      const [empty, delta] =
        'input' in block
          ? [
              { ...block, input: {} },
              { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
            ]
          : [
              { type: 'text', text: '' },
              { type: 'text_delta', text },
            ];
      return [
        { type: 'content_block_start', index, content_block: empty },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ];
    });
    sendEvents(response, [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...parts,
      { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ]);
  },
  error: (status, message) => ({ type: 'error', error: { type: errorName(status), message } }),
};

const responses: Protocol = {
  read(body) {
    const entries = objects(body['input']).map((item): Entry => {
      const words = textIn(contentOf(item));
      return {
        prompt: item['role'] === 'user' && words !== '' ? words : null,
        calls: String(item['type']).endsWith('_call') ? 1 : 0,
      };
    });
    const format = isJsonObject(body['text']) ? body['text']['format'] : null;
    return conversation(entries, {
      tools: names(body['tools']),
      streamed: body['stream'] === true,
      wantsJson: isJsonObject(format) && format['type'] === 'json_schema',
    });
  },
  write(response, { text, calls: [call] }, { streamed }) {
    const item =
      call === undefined
        ? {
            type: 'message',
            id: newId('msg_'),
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          }
        : {
            type: 'function_call',
            id: newId('fc_'),
            call_id: newId('call_'),
            ...namespaced(call.name),
            arguments: JSON.stringify(call.input),
            status: 'completed',
          };
    const whole = {
      id: newId('resp_'),
      object: 'response',
      created_at: 1_790_000_000,
      model: 'scripted',
      status: 'completed',
      output: [item],
      usage: {
        ...usage,
        total_tokens: 110,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
    };
    if (!streamed) return sendJson(response, whole);
    const at = { output_index: 0, item_id: item.id };
    const begun = call === undefined ? { ...item, content: [] } : { ...item, arguments: '' };
    const middle =
      call === undefined
        ? [
            {
              type: 'response.content_part.added',
              ...at,
              content_index: 0,
              part: { type: 'output_text', text: '' },
            },
            { type: 'response.output_text.delta', ...at, content_index: 0, delta: text },
            { type: 'response.output_text.done', ...at, content_index: 0, text },
          ]
        : [
            {
              type: 'response.function_call_arguments.done',
              ...at,
              arguments: JSON.stringify(call.input),
            },
          ];
    sendEvents(response, [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: begun },
      ...middle,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ]);
  },
  error: (status, message) =>
    status === 429
      ? // As Codex CLI hears of the limit of a plan; it words that itself.
        {
          error: { type: 'usage_limit_reached', message, plan_type: 'plus', resets_at: inHours(3) },
        }
      : { error: { type: errorName(status), code: errorName(status), message } },
};

const chat: Protocol = {
  read(body) {
    const entries = objects(body['messages']).map((message): Entry => {
      const words = textIn(contentOf(message));
      return {
        prompt: message['role'] === 'user' && words !== '' ? words : null,
        calls: objects(message['tool_calls']).length,
      };
    });
    const format = body['response_format'];
    return conversation(entries, {
      tools: names(body['tools']),
      streamed: body['stream'] === true,
      wantsJson: isJsonObject(format) && format['type'] === 'json_schema',
    });
  },
  write(response, { text, calls }, { streamed }) {
    const whole = { id: newId('chatcmpl-'), created: 1_790_000_000, model: 'scripted' };
    const tokens = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    const message =
      calls.length === 0
        ? { role: 'assistant', content: text }
        : {
            role: 'assistant',
            content: null,
            tool_calls: calls.map(({ name, input }, index) => ({
              index,
              id: newId('call_'),
              type: 'function',
              function: { name, arguments: JSON.stringify(input) },
            })),
          };
    const finish_reason = calls.length === 0 ? 'stop' : 'tool_calls';
    if (!streamed) {
      const choices = [{ index: 0, message, finish_reason }];
      return sendJson(response, { ...whole, object: 'chat.completion', choices, usage: tokens });
    }
    const chunk = { ...whole, object: 'chat.completion.chunk' };
    sendEvents(
      response,
      [
        { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage: tokens },
      ],
      '[DONE]',
    );
  },
  error: (status, message) => ({
    error: { type: errorName(status), code: errorName(status), message },
  }),
};

function gemini(streamed: boolean): Protocol {
  return {
    read(body) {
      const entries = objects(body['contents']).map((content): Entry => {
        const parts = objects(content['parts']);
        const words = textIn(parts);
        return {
          prompt: content['role'] === 'user' && words !== '' ? words : null,
          calls: parts.filter((part) => 'functionCall' in part).length,
        };
      });
      const settings = isJsonObject(body['generationConfig']) ? body['generationConfig'] : {};
      return conversation(entries, {
        tools: objects(body['tools']).flatMap((tool) => names(tool['functionDeclarations'])),
        streamed,
        wantsJson: settings['responseMimeType'] === 'application/json',
      });
    },
    write(response, { text, calls }) {
      const parts =
        calls.length === 0
          ? [{ text }]
          : calls.map(({ name, input }) => ({ functionCall: { name, args: input } }));
      const content = { role: 'model', parts };
      const whole = {
        candidates: [{ index: 0, content, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
        modelVersion: 'scripted',
        responseId: newId('r'),
      };
      if (streamed) sendEvents(response, [whole]);
      else sendJson(response, whole);
    },
    error: (status, message) => ({
      error: { code: status, message, status: errorName(status).toUpperCase() },
    }),
  };
}

function inHours(hours: number): number {
  return Math.floor(Date.now() / 1_000) + hours * 3_600;
}

function errorName(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'api_error';
}

function sendJson(response: ServerResponse, body: Json): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function sendEvents(response: ServerResponse, events: readonly Json[], end?: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of events) {
    const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(end === undefined ? '' : `data: ${end}\n\n`);
}

function namespaced(name: string): Json {
  const [first = name, second] = name.split('.');
  return second === undefined ? { name } : { namespace: first, name: second };
}

function objects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function contentOf({ content }: Json): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);
}

function textIn(parts: readonly Json[]): string {
  return parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}

/** Of tools as `{name}`, as `{function: {name}}`, or as `{name, tools}`: those are called "name.tool". */
function names(tools: unknown): readonly string[] {
  return objects(tools).flatMap((tool) => {
    const named = isJsonObject(tool['function']) ? tool['function'] : tool;
    const name = named['name'];
    if (typeof name !== 'string') return [];
    return Array.isArray(tool['tools'])
      ? names(tool['tools']).map((one) => `${name}.${one}`)
      : [name];
  });
}

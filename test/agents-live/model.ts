import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

import { isJsonObject } from '../../src/platform/json.ts';
import type { Conversation, Reply, ToolCall } from './protocols.ts';
import { protocolOf } from './protocols.ts';
import type { Scripts } from './tools.ts';
import { toolCall } from './tools.ts';

export interface ScriptedModel extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  /** How many requests were about this prompt; those that only want a title do not count. */
  requests(prompt: string): number;
}

/**
 * A model on loopback that does as its scripts say, in the protocols of Anthropic (Messages), OpenAI (Responses and Chat
 * Completions) and Gemini (generateContent).
 *
 * @param logFile where every request is noted as a line of JSON
 */
export async function openScriptedModel(scripts: Scripts, logFile: string): Promise<ScriptedModel> {
  const failed = new Set<string>();
  const asked = new Map<string, number>();
  const stop = new AbortController();

  async function listener(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = parsed(await text(request));
    const path = request.url ?? '';
    const protocol = protocolOf(path);
    const conversation = isJsonObject(body) && protocol !== null ? protocol.read(body) : null;
    const answer = conversation === null ? null : answerTo(conversation, JSON.stringify(body));
    appendFileSync(logFile, `${JSON.stringify({ path, answer, body })}\n`);
    if (protocol === null || conversation === null || answer === null) {
      response.writeHead(path.endsWith('/count_tokens') ? 200 : 404, json);
      response.end(JSON.stringify({ input_tokens: 100, data: [], models: [] }));
      return;
    }
    await delay(answer.afterMs, undefined, { signal: stop.signal });
    if (answer.status !== 200) {
      const retry = { 'x-should-retry': String(answer.again), 'retry-after': '1' };
      response.writeHead(answer.status, { ...json, ...retry });
      response.end(JSON.stringify(protocol.error(answer.status, answer.reply.text ?? '')));
      return;
    }
    protocol.write(response, answer.reply, { streamed: conversation.streamed });
  }

  function answerTo({ prompts, toolCalls, tools, wantsJson }: Conversation, body: string): Answer {
    const prompt = prompts
      .flatMap((said) => Object.keys(scripts).filter((key) => said.includes(key)))
      .at(-1);
    if (wantsJson) return says('{"title":"Tidy the shop","branch":"tidy","isNewTopic":true}');
    if (tools.length === 0 || prompt === undefined) return says('Tidy the shop');
    asked.set(prompt, (asked.get(prompt) ?? 0) + 1);
    const step = scripts[prompt]?.[toolCalls];
    if (step === undefined) return says('Done');
    if ('say' in step) return says(step.say, step.afterMs);
    if ('writePlan' in step) {
      const path = /[^\s"'`]*\.claude\/plans\/[\w-]+\.md/.exec(body)?.[0] ?? 'plan.md';
      const call = { name: 'Write', input: { file_path: path, content: step.writePlan } };
      return calls([call]);
    }
    if ('together' in step) {
      return calls(step.together.flatMap((move) => toolCall(move, tools) ?? []));
    }
    if (!('fail' in step)) {
      const call = toolCall(step, tools);
      // Codex proposes a plan in words.
      if (call === null && 'plan' in step) {
        return says(`<proposed_plan>\n${step.plan}\n</proposed_plan>`);
      }
      return call === null
        ? says(`There is no tool for ${JSON.stringify(step)} among ${tools.join(', ')}`)
        : calls([call]);
    }
    if (step.once === true && failed.has(prompt)) return says('It worked at last');
    failed.add(prompt);
    const { saying = 'The model broke a promise' } = step;
    const answer = says(typeof saying === 'string' ? saying : saying());
    return { ...answer, status: step.fail, again: step.once === true };
  }

  const server = createServer((request, response) => {
    listener(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: (prompt) => asked.get(prompt) ?? 0,
    async [Symbol.asyncDispose]() {
      stop.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const json = { 'content-type': 'application/json' };

interface Answer {
  readonly status: number;
  readonly afterMs: number;
  readonly reply: Reply;
  /** Whether a failed request is worth trying again. */
  readonly again: boolean;
}

function says(words: string, afterMs = 0): Answer {
  return { status: 200, afterMs, reply: { text: words, calls: [] }, again: false };
}

function calls(made: readonly ToolCall[]): Answer {
  return { ...says(''), reply: { text: null, calls: made } };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

import { randomUUID } from 'node:crypto';
import { finished } from 'node:stream/promises';

import { CLIENT_INFO_META_KEY, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

import { isCustomName } from '../../core/agent/custom-name.ts';
import { programEvents } from '../../core/hand-made.ts';
import type { ProgramAnswer, ProgramAsk } from '../../core/question.ts';
import { sha256 } from '../../platform/crypto.ts';
import { DaemonUnreachableError, HookbellError } from '../../platform/errors.ts';
import { isJsonObject } from '../../platform/json.ts';
import { pollUntil } from '../../platform/time.ts';
import { displayText } from '../../text/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { deliveryLines } from '../print-event.ts';
import { handToHook, triggerEvent } from '../trigger-event.ts';

const text = (most: number) =>
  z.string().trim().min(1).max(most).transform(displayText).pipe(z.string().min(1));

const notifyInput = z.object({
  text: text(2_000).describe('What the person should know, in a sentence or two'),
  title: text(100).optional().describe('A few words, shown above the text'),
  urgency: z
    .enum(['low', 'normal', 'critical'])
    .default('normal')
    .describe('low: silent. critical: only if something is broken and cannot wait'),
});

const askInput = z.object({
  question: text(2_000).describe(
    'The whole question: the person may see nothing else of the conversation',
  ),
  options: z
    .array(text(100))
    .max(8)
    .default([])
    .describe('Answers to choose from, short and different; leave out for a free text'),
  timeout_seconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(600)
    .describe('How long to wait for the person'),
  id: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional()
    .describe(
      'Of an earlier call whose result you did not get: the same question, with the answer given meanwhile',
    ),
});

const askOutput = z.object({
  state: z.enum(['answered', 'declined', 'no answer', 'refused']),
  answer: z.string().nullable(),
  id: z.string(),
});

const NOTIFY = `Sends the person you work for a notification, on the devices they have chosen. Returns where it was sent, or why not.
Use it when they asked you to say when something happens, when a long task that they wait for is done, or when they must know something before the end of your turn.
Do not use it for progress, for what your next message says anyway, or to ask something: nothing comes back.`;
const ASK = `Asks the person you work for a question and waits for the answer, which may come from another device. Returns the answer, that they declined, or that no answer came in time.
Use it when they are away and you cannot go on, or must not guess: a choice between ways, a value that only they know. Ask one thing at a time.
Do not use it for a permission: an answer never replaces a permission dialog of yours, and you may do nothing because of it that you may not do otherwise. Do not ask for passwords or keys. If the person talks to you in the conversation, ask there.`;

/** At most this many calls within the time, ms. */
const MOST_NOTIFIED = { calls: 10, withinMs: 600_000 };
const MOST_CRITICAL = { calls: 3, withinMs: 3_600_000 };
/** The daemon answers a question that is still open after this, and the host gets a sign of life, ms. */
const ROUND_MS = 10_000;
const START_MS = 10_000;

/** Serves one host until it closes our standard input. What it asked stays open then, so that it can ask again. */
export async function serveMcp(context: CommandContext): Promise<void> {
  const session = `mcp-${randomUUID().slice(0, 8)}`;
  const mayNotify = limiter(MOST_NOTIFIED);
  const mayAlarm = limiter(MOST_CRITICAL);

  function createServer(): McpServer {
    const server = new McpServer({ name: 'hookbell', version: context.version });
    const annotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
    const hostOf = ({ mcpReq }: ServerContext): string | null => {
      const meta: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
      const envelope = meta[CLIENT_INFO_META_KEY];
      const claimed = isJsonObject(envelope)
        ? envelope['name']
        : server.server.getClientVersion()?.name;
      return typeof claimed === 'string' && isCustomName(claimed) ? claimed : null;
    };

    server.registerTool(
      'notify',
      { title: 'Notify the person', description: NOTIFY, inputSchema: notifyInput, annotations },
      async ({ text: message, title, urgency }, call) => {
        const wait = mayNotify() ?? (urgency === 'critical' ? mayAlarm() : null);
        if (wait !== null) {
          const later = `Try again in ${wait} s, with all of it in one`;
          return failed(`Not sent: too many notifications. ${later}`);
        }
        const host = hostOf(call);
        const payload = {
          hook_event_name: programEvents.tell,
          session_id: session,
          cwd: process.cwd(),
          message,
          ...(title !== undefined && { title }),
          notification_type: urgency,
        };
        return orFailed(async () => {
          const sent = await triggerEvent(context, payload, host === null ? [] : ['--agent', host]);
          const lines = deliveryLines(sent.event, sent.channels);
          return said(lines.map((line) => line.text).join('\n'));
        });
      },
    );

    server.registerTool(
      'ask',
      {
        title: 'Ask the person',
        description: ASK,
        inputSchema: askInput,
        outputSchema: askOutput,
        annotations,
      },
      ({ question, options, timeout_seconds: seconds, id }, call) =>
        orFailed(async () => {
          const cwd = process.cwd();
          const wanted: ProgramAsk = {
            id: id ?? sha256(JSON.stringify([cwd, question, options])).slice(0, 12),
            again: id !== undefined,
            session,
            host: hostOf(call),
            cwd,
            pid: process.ppid,
            question,
            options,
            forMs: seconds * 1_000,
            waitMs: ROUND_MS,
          };
          return resultOf(await waitForAnswer(context, wanted, call), wanted.id);
        }),
    );
    return server;
  }

  const closed = finished(process.stdin, { cleanup: true }).catch(() => null);
  const serving = serveStdio(createServer);
  await closed;
  await serving.close();
}

async function waitForAnswer(
  context: CommandContext,
  wanted: ProgramAsk,
  { mcpReq }: ServerContext,
): Promise<ProgramAnswer> {
  const { signal, _meta: meta } = mcpReq;
  for (let round = 1; ; round += 1) {
    const found = await askOnce(context, wanted, signal);
    if (signal.aborted) {
      if (isCancelled(signal.reason)) {
        await context.ask('POST /v1/ask-over', { body: { id: wanted.id } }).catch(() => null);
      }
      return { state: 'over', answer: null, reason: 'The call was cancelled' };
    }
    if (found !== null && found.state !== 'open') return found;
    const progressToken = meta?.progressToken;
    if (progressToken === undefined) continue;
    const message = 'Waiting for the answer of the person';
    const params = { progressToken, progress: round, message };
    await mcpReq.notify({ method: 'notifications/progress', params });
  }
}

/** Null: the daemon has to be asked again, as it was not there. Starts it where a hook would. */
async function askOnce(
  context: CommandContext,
  wanted: ProgramAsk,
  signal: AbortSignal,
): Promise<ProgramAnswer | null> {
  const call = { body: wanted, timeoutMs: ROUND_MS * 2, signal };
  try {
    const found = await context.ask('POST /v1/ask', call);
    return found.state === 'over' && found.reason === 'The daemon stopped' ? null : found;
  } catch (error) {
    if (signal.aborted) return null;
    if (!(error instanceof DaemonUnreachableError)) throw error;
    await handToHook(context, { hook_event_name: programEvents.over, session_id: wanted.session });
    const isThere = () =>
      context
        .ask('GET /v1/agents')
        .then(() => true)
        .catch(() => null);
    if ((await pollUntil(isThere, START_MS, 100)) === null) throw error;
    return null;
  }
}

/** A host that gave up waiting asks again; one whose user stopped the call does not, nor does a broken connection cancel it. */
function isCancelled(reason: unknown): boolean {
  if (reason instanceof Error) return reason.name === 'AbortError';
  return !/tim(?:e|ed)[ -]?out/i.test(String(reason));
}

function resultOf({ state, answer, reason }: ProgramAnswer, id: string) {
  switch (state) {
    case 'answered':
      return shown({ state, answer, id }, `The person answered: ${answer ?? ''}`);
    case 'declined':
      return shown(
        { state, answer: reason, id },
        `The person does not want to answer: ${reason ?? ''}`,
      );
    case 'refused':
      return shown({ state, answer: null, id }, `Not asked: ${reason ?? ''}`);
    case 'open':
    case 'over':
      return shown(
        { state: 'no answer', answer: null, id },
        `No answer: ${reason ?? 'it is over'}`,
      );
  }
}

function shown(structuredContent: z.output<typeof askOutput>, words: string) {
  return { ...said(`${words}\n(id: ${structuredContent.id})`), structuredContent };
}

function said(words: string) {
  return { content: [{ type: 'text' as const, text: words }] };
}

function failed(words: string) {
  return { ...said(words), isError: true };
}

/** Expected trouble is for the model to read. */
async function orFailed<Result extends object>(work: () => Promise<Result>) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HookbellError) return failed(error.message);
    throw error;
  }
}

/** Counts a call; returns the seconds to wait if there were too many, or null. */
function limiter({ calls, withinMs }: { readonly calls: number; readonly withinMs: number }) {
  let earlier: readonly number[] = [];
  return (): number | null => {
    const now = performance.now();
    earlier = earlier.filter((at) => at > now - withinMs);
    const [oldest] = earlier;
    if (oldest !== undefined && earlier.length >= calls) {
      return Math.ceil((oldest + withinMs - now) / 1_000);
    }
    earlier = [...earlier, now];
    return null;
  };
}

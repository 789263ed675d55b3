import { setTimeout as delay } from 'node:timers/promises';

import {
  type Client,
  type ParametersOf,
  planRequest,
  type Session,
} from '../../vendor/client/index.ts';
import {
  ConfigError,
  DaemonUnreachableError,
  FailedError,
  HookbellError,
  NotFoundError,
  UsageError,
} from '../../platform/errors.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import { replyJournal } from '../../reply/reply-journal.ts';
import { sendReply, type SentReply } from '../../reply/send-reply.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { isGone } from '../daemon-process.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { collect } from '../option-values.ts';
import { printCall } from '../vendor/collect.ts';
import { readInput } from '../vendor/column.ts';
import { readFile, readImage } from '../vendor/read-attachment.ts';
import { addressHint, withClient } from '../vendor/with-client.ts';
import { readDuration } from '../time-text.ts';

interface Options {
  readonly image?: readonly string[];
  readonly file?: readonly string[];
  readonly computer?: string;
  readonly key?: string;
  /** ms */
  readonly timeout?: number;
}

type Parameters = ParametersOf<'sessions.addMessage'>;

const LAST = '@last';
/** Events looked through for the last session; some have none. */
const HISTORY_LIMIT = '50';
/** As the client's, where the configuration names none. */
const MAX_BYTES = 10_000_000;

/** `hookbell reply`: says something to an agent, once. */
export const defineReply: DefineCommand = (program, run) => {
  const reply = program
    .command('reply')
    .argument('<session>', `id of a session; "${LAST}" is the one with the most recent event`)
    .argument('<text>', 'the message; "-" reads it from standard input')
    .description('send a message to the agent of a session')
    .option('--image <file>', 'send a PNG, JPEG, GIF or WebP image along; may be repeated', collect)
    .option('--file <file>', 'send a PDF or text file along; may be repeated', collect)
    .option('--computer <id>', 'send to this computer instead of that of the session')
    .option(
      '--timeout <time>',
      'how long to wait for the service to take it, such as 30s; 2m by default',
      readDuration,
    )
    .option('--key <word>', 'a name of your own: under it a reply is sent once, however often');
  reply.action((word: string, typed: string) =>
    run(async (context) => {
      const {
        image = [],
        file = [],
        computer: computerId,
        key = null,
        timeout,
      } = reply.opts<Options>();
      if (word !== LAST) await refuseForeign(context, word);
      return withClient(context, async ({ api, config }) => {
        if (config.api === null || config.api.baseUrl === null) {
          throw new ConfigError(
            `Cannot reply to session "${word}": "api.base_url" is not set, and replies go through the service behind it`,
            { hint: addressHint(config.path) },
          );
        }
        const maxBytes = config.api?.maxMessageBytes ?? MAX_BYTES;
        const images = image.map((path) => readImage(path, maxBytes));
        const files = file.map((path) => readFile(path, maxBytes));
        const text = typed === '-' ? readInput('-').trimEnd() : typed;
        const sessionId = await (word === LAST
          ? lastSession(context)
          : wholeSessionId(context, word));
        const parameters: Parameters = {
          sessionId,
          text,
          computerId,
          ...(images.length > 0 && { images }),
          ...(files.length > 0 && { files }),
        };
        // Refused before anything is asked.
        planRequest('sessions.addMessage', parameters);
        const sent = await sendReply(
          { ...parameters, key },
          {
            api: timeout === undefined ? api : withTimeout(api, timeout),
            journal: replyJournal(context.paths.replies, Date.now),
            now: Date.now,
            pid: process.pid,
            isAlive: (pid) => !isGone(pid),
            sleep: (ms) => delay(ms),
            onSending: (session) => context.output.say(`To ${describe(session)}`),
          },
        );
        const code = tell(context, parameters, sent);
        sent.told();
        return code;
      });
    }),
  );
};

/** Prints what became of it; a message that was taken is not yet one that arrived as it was meant. */
function tell(context: CommandContext, parameters: Parameters, sent: SentReply): ExitCode {
  const { output } = context;
  const { messageId, status, inferred, earlier, receipt } = sent;
  const item = { messageId, status };
  const notes = [
    ...(earlier ? ['It was sent before: nothing was sent now'] : []),
    ...(inferred
      ? ['The answer was lost; that the message is there follows from the session']
      : []),
    ...(receipt === null ? [] : [receiptTexts[receipt.state]]),
  ];
  const json = { ...item, earlier, inferred, receipt: receipt?.state ?? null };
  const shown = { items: [item], isList: false, json, notes };
  const code = printCall(context, { id: 'sessions.addMessage', parameters, extent: 1 }, shown);
  if (receipt?.isError === true) {
    output.complain('The service took the message and marks it as an error');
  }
  return receipt?.isError === true || receipt?.state === 'different' ? exitCodes.failed : code;
}

/** The look afterwards, at what became of a message without an answer, has its own time. */
function withTimeout({ sessions }: Client, totalTimeoutMs: number): Pick<Client, 'sessions'> {
  return {
    sessions: {
      ...sessions,
      addMessage: (message, options) =>
        sessions.addMessage(message, { ...options, totalTimeoutMs }),
    },
  };
}

const receiptTexts = {
  same: 'Read back: the session has it, word for word',
  pending: 'Sent, not yet confirmed: the session has the message, but not its text yet',
  different: 'Read back: the session has a message under this id, but not these words',
  unreadable: 'It was sent, but the service does not let it be read back',
} as const;

/**
 * The id that begins with this word among the sessions the daemon knows. The service may know others, so a word that fits
 * none is taken for a whole id.
 *
 * @throws UsageError where several begin with it
 */
async function wholeSessionId({ ask }: CommandContext, word: string): Promise<string> {
  const sessions = await ask('GET /v1/sessions', { query: { limit: '1000' } }).catch(
    (error: unknown) => {
      if (error instanceof DaemonUnreachableError) return [];
      throw error;
    },
  );
  const ids = sessions.flatMap(({ sessionId }) =>
    sessionId?.startsWith(word) === true ? [sessionId] : [],
  );
  const [only = word, ...others] = new Set(ids);
  if (others.length === 0 || ids.includes(word)) return ids.includes(word) ? word : only;
  throw new UsageError(`Several sessions have an id that begins with "${word}"`, {
    hint: `Type more of one of these: ${[only, ...others].slice(0, 5).join(', ')}`,
  });
}

async function lastSession({ ask }: CommandContext): Promise<string> {
  const history = await ask('GET /v1/history', { query: { limit: HISTORY_LIMIT } });
  const found = history.find(({ sessionId }) => sessionId !== null)?.sessionId ?? null;
  if (found !== null) return found;
  throw new NotFoundError('Cannot reply to the last session: no event of one came in so far');
}

function describe({ title, sessionId, status, messageCount }: Session): string {
  const name = displayLine(title ?? '') || sessionId;
  return `"${cutText(name, 80)}" (${displayLine(status)}, ${messageCount} messages)`;
}

/**
 * Replies go through the vendor's service, which has never heard of the sessions of other agents.
 *
 * @throws FailedError when the daemon knows the session, and of which other agent it is
 */
async function refuseForeign(
  { ask }: Pick<CommandContext, 'ask'>,
  sessionId: string,
): Promise<void> {
  // Without a daemon the service has to say whether it knows the session.
  const sessions = await ask('GET /v1/sessions', { query: { limit: '1000' } }).catch(
    (error: unknown) => {
      if (error instanceof HookbellError) return [];
      throw error;
    },
  );
  const agent = sessions.find((one) => one.sessionId === sessionId)?.agent;
  if (agent === undefined || agent === 'droid' || agent === 'unknown') return;
  throw new FailedError(`Cannot answer session "${sessionId}": it is a session of ${agent}`, {
    hint: 'Only sessions that the service runs take a reply; answer this one in its terminal',
  });
}

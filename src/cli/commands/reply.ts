import type { SessionView } from '../../control/contract.ts';
import { isTryout } from '../../core/hand-made.ts';
import { processExists } from '../../platform/process-table.ts';
import { pause, systemTimer } from '../../platform/time.ts';
import {
  ConfigError,
  FailedError,
  HookbellError,
  NotFoundError,
  UsageError,
} from '../../platform/errors.ts';
import { replyJournal } from '../../reply/reply-journal.ts';
import { sendReply, type SentReply } from '../../reply/send-reply.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import {
  type Client,
  type ParametersOf,
  planRequest,
  routes,
  type Session,
} from '../../vendor/client/index.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { collect } from '../option-values.ts';
import { replyHere, type ReplyOptions, takesWords } from '../reply-here.ts';
import { readDuration } from '../time-text.ts';
import { printCall } from '../vendor/collect.ts';
import { readInput } from '../vendor/column.ts';
import { readFile, readImage } from '../vendor/read-attachment.ts';
import { addressHint, withClient } from '../vendor/with-client.ts';

type Parameters = ParametersOf<'sessions.addMessage'>;

const LAST = '@last';
/** Events looked through for the last session; some have none. */
const HISTORY_LIMIT = '50';
/** The limit of the client, if the configuration sets none. */
const MAX_BYTES = 10_000_000;

/** `hookbell reply`: sends a message to an agent once. */
export const defineReply: DefineCommand = (program, run) => {
  program
    .command('reply')
    .argument('<session>', `session id; "${LAST}" for the session with the most recent event`)
    .argument('<text>', 'the message; "-" reads it from standard input')
    .description('send a message to the agent of a session')
    .option('--image <file>', 'attach a PNG, JPEG, GIF or WebP image; may be repeated', collect)
    .option('--file <file>', 'attach a PDF or text file; may be repeated', collect)
    .option('--computer <id>', "send to this computer instead of the session's")
    .option(
      '--timeout <time>',
      'timeout for the service to accept it, such as 30s (default: 2m)',
      readDuration,
    )
    .option('--key <word>', 'idempotency key: replies with the same key are sent once')
    .action(run(replyTo));
};

/** Sends a message to the session that `word` names. */
export async function replyTo(
  context: CommandContext,
  word: string,
  typed: string,
  options: ReplyOptions,
): Promise<ExitCode | void> {
  const { image = [], file = [], computer: computerId, key = null, timeout } = options;
  const { sessionId, local } = await sessionOf(context, word);
  if (local !== null && takesWords(local)) {
    return replyHere(context, local, sessionId, typed, options);
  }
  if (local !== null) refuseForeign(local, sessionId);
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
    const parameters: Parameters = {
      sessionId,
      text,
      computerId,
      ...(images.length > 0 && { images }),
      ...(files.length > 0 && { files }),
    };
    // Invalid parameters fail before any request.
    planRequest('sessions.addMessage', parameters);
    const sent = await sendReply(
      { ...parameters, key },
      {
        api: timeout === undefined ? api : withTimeout(api, timeout),
        journal: replyJournal(context.paths.replies, Date.now),
        now: Date.now,
        pid: process.pid,
        isAlive: processExists,
        sleep: (ms) => pause(ms, systemTimer),
        onSending: (session) => context.output.say(`To ${describe(session)}`),
      },
    );
    const code = printOutcome(context, parameters, sent);
    sent.acknowledge();
    return code;
  });
}

/** Prints the outcome; an accepted message may still differ from the one sent. */
function printOutcome(context: CommandContext, parameters: Parameters, sent: SentReply): ExitCode {
  const { output } = context;
  const { messageId, status, inferred, earlier, receipt } = sent;
  const item = { messageId, status };
  const notes = [
    ...(earlier ? ['Already sent before: not sent again'] : []),
    ...(inferred ? ['The response was lost, but the session contains the message'] : []),
    ...(receipt === null ? [] : [receiptTexts[receipt.state]]),
  ];
  const json = { ...item, earlier, inferred, receipt: receipt?.state ?? null };
  const shown = { items: [item], isList: false, json, notes };
  const code = printCall(
    context,
    { route: routes['sessions.addMessage'], parameters, extent: 1 },
    shown,
  );
  if (receipt?.isError === true) {
    output.complain('The service accepted the message but marked it as an error');
  }
  return receipt?.isError === true || receipt?.state === 'different' ? exitCodes.failed : code;
}

/** The check after a lost response has a separate timeout. */
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
  same: 'Read back: the session has the exact text',
  pending: 'Sent, not yet confirmed: the session has the message but not its text yet',
  different: 'Read back: the session has a different text under this message id',
  unreadable: 'Sent, but the service does not allow reading it back',
} as const;

/**
 * The session that a word names by its id, the beginning of its id or "@last". The service may know others than the daemon, so a
 * word that matches none is used as a full id.
 *
 * @throws UsageError if several ids begin with it
 */
async function sessionOf(
  context: CommandContext,
  word: string,
): Promise<{ readonly sessionId: string; readonly local: SessionView | null }> {
  const sessions = await context
    .ask('GET /v1/sessions', { query: { limit: '1000' } })
    .catch((error: unknown) => {
      // Without a daemon, the service decides whether it knows the session.
      if (error instanceof HookbellError) return [];
      throw error;
    });
  const named = word === LAST ? await lastSession(context, sessions) : word;
  const local = (id: string): SessionView | null =>
    sessions.find((one) => one.sessionId === id) ?? null;
  if (local(named) !== null) return { sessionId: named, local: local(named) };
  const ids = sessions.flatMap(({ sessionId }) =>
    sessionId?.startsWith(named) === true ? [sessionId] : [],
  );
  const [only = named, ...others] = new Set(ids);
  if (others.length === 0) return { sessionId: only, local: local(only) };
  throw new UsageError(`Several sessions have an id that begins with "${word}"`, {
    hint: `Use a longer beginning of one of these: ${[only, ...others].slice(0, 5).join(', ')}`,
  });
}

/**
 * The session of the most recent event. Test events have none, and an agent's helpers may report ids that are not sessions, so
 * listed sessions come first. A daemon that lists none may still know an event of one.
 */
async function lastSession(
  { ask }: CommandContext,
  sessions: readonly SessionView[],
): Promise<string> {
  const history = await ask('GET /v1/history', { query: { limit: HISTORY_LIMIT } });
  const listed = new Set(sessions.map(({ sessionId }) => sessionId));
  const ids = history.flatMap(({ sessionId }) =>
    sessionId === null || isTryout(sessionId) ? [] : [sessionId],
  );
  const found = ids.find((id) => listed.has(id)) ?? ids[0];
  if (found !== undefined) return found;
  throw new NotFoundError('Cannot reply to the last session: no session has sent an event yet');
}

function describe({ title, sessionId, status, messageCount }: Session): string {
  const name = displayLine(title ?? '') || sessionId;
  return `"${cutText(name, 80)}" (${displayLine(status)}, ${messageCount} messages)`;
}

/**
 * Other replies go through the vendor's service, which does not know the sessions of other agents.
 *
 * @throws FailedError if it is a session of another agent
 */
function refuseForeign({ agent }: SessionView, sessionId: string): void {
  if (agent === 'droid' || agent === 'unknown') return;
  throw new FailedError(`Cannot reply to session "${sessionId}": it is a session of ${agent}`, {
    hint: 'Only sessions of Claude Code, Codex CLI and OpenCode on this machine and those run by the service accept replies; answer this one in its terminal',
  });
}

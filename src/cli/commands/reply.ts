import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import type { Client, Session } from '../../api/index.ts';
import { ApiError, fileAttachment, imageAttachment, planRequest } from '../../api/index.ts';
import { NotFoundError, UsageError } from '../../core/errors.ts';
import { cutText, displayLine } from '../../core/sanitize.ts';
import { isJsonObject } from '../../core/json-object.ts';
import type { CommandContext } from '../context.ts';
import type { DefineCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { collect } from '../option-values.ts';
import type { RemoteCall } from '../remote/call.ts';
import { makeCall, printCall } from '../remote/call.ts';
import { withClient } from '../remote/with-client.ts';

interface Options {
  readonly image?: readonly string[];
  readonly file?: readonly string[];
  readonly computer?: string;
}

const LAST = '@last';
/** Events looked through for the last session; some have none. */
const HISTORY_LIMIT = '50';

/** `hookbell reply`: says something to an agent, once. */
export const defineReply: DefineCommand = (program, run) => {
  const reply = program
    .command('reply <session> <text>')
    .description(`say something to the agent of a session; "${LAST}" is the session heard of last`)
    .option('--image <file>', 'send a PNG, JPEG, GIF or WebP image along; may be repeated', collect)
    .option('--file <file>', 'send a PDF or text file along; may be repeated', collect)
    .option('--computer <id>', 'send to this computer instead of that of the session');
  reply.action((word: string, text: string) =>
    run(async (context) => {
      const { image = [], file = [], computer: computerId } = reply.opts<Options>();
      const images = image.map((path) => attach(path, imageAttachment));
      const files = file.map((path) =>
        attach(path, (bytes) => fileAttachment(basename(path), bytes)),
      );
      const sessionId = word === LAST ? await lastSession(context) : word;
      const parameters = {
        sessionId,
        text,
        computerId,
        ...(images.length > 0 && { images }),
        ...(files.length > 0 && { files }),
      };
      return withClient(context, async ({ api }) => {
        // Refused before anything is sent, the question for its title included.
        planRequest('sessions.addMessage', parameters);
        const session = await api.sessions.get({ sessionId, computerId });
        context.output.say(`To ${describe(session)}`);
        const call: RemoteCall = { id: 'sessions.addMessage', parameters, extent: 1 };
        const shown = await makeCall(api, call);
        const code = printCall(context, call, shown);
        if (!(await isMarkedAsError(api, parameters, shown.items[0]))) return code;
        context.output.complain('The service took the message and marks it as an error');
        return exitCodes.failed;
      });
    }),
  );
};

/** Reads the message back as far as that is possible: a message that was taken is not yet one that arrived. */
async function isMarkedAsError(
  api: Client,
  { sessionId, computerId }: { sessionId: string; computerId: string | undefined },
  receipt: unknown,
): Promise<boolean> {
  const messageId = isJsonObject(receipt) ? receipt['messageId'] : null;
  if (typeof messageId !== 'string') return false;
  try {
    const { isError } = await api.sessions.getMessage({ sessionId, messageId, computerId });
    return isError === true;
  } catch (error) {
    // It was sent: that it cannot be read is no reason to say otherwise.
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Reads an attachment before anything is sent. @throws UsageError when it cannot be sent */
function attach<Attachment>(path: string, make: (bytes: Uint8Array) => Attachment): Attachment {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new UsageError(`Cannot read "${path}"`, { cause });
  }
  try {
    return make(bytes);
  } catch (cause) {
    throw new UsageError(`Cannot send "${path}": it is empty, or no PNG, JPEG, GIF or WebP image`, {
      cause,
    });
  }
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

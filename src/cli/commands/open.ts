import { FailedError } from '../../platform/errors.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { shortId } from '../short-id.ts';

/** The daemon runs several programs one after another, each at most 2 s. */
const TIMEOUT_MS = 20_000;

/** `hookbell open SESSION`: brings the terminal or editor of a session to the front. */
export const defineOpen: DefineCommand = (program, run) => {
  program
    .command('open')
    .argument('<session>', 'session id or its beginning, as "sessions" shows it')
    .description("bring a session's terminal or editor to the front")
    .action((session: string) => run((context) => openSession(context, session)));
};

/** @throws FailedError if nothing could bring it to the front */
export async function openSession(
  { output, json, ask }: CommandContext,
  session: string,
): Promise<void> {
  const opened = await ask('POST /v1/open', { body: { session }, timeoutMs: TIMEOUT_MS });
  if (opened.reason !== null) {
    throw new FailedError(
      `Cannot open session "${shortId(opened.session)}": ${displayLine(opened.reason)}`,
      { hint: 'Run "hookbell logs --level info" to see what was tried' },
    );
  }
  if (json) output.json(opened);
  else output.say(`Session ${shortId(opened.session)} is in front`);
}

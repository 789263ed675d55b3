import { homedir } from 'node:os';

import type { SessionView } from '../control/contract.ts';
import { WORDS_PROOF_MS } from '../core/question.ts';
import { asCaller, whyRunByAgent, wordsRefused } from '../control/caller.ts';
import { FailedError, UsageError } from '../platform/errors.ts';
import { displayLine } from '../text/sanitize.ts';
import type { CommandContext } from './context.ts';
import { readInput } from './vendor/column.ts';

export interface ReplyOptions {
  readonly image?: readonly string[];
  readonly file?: readonly string[];
  readonly computer?: string;
  readonly key?: string;
  /** ms */
  readonly timeout?: number;
}

const names = { claude: 'Claude Code', codex: 'Codex CLI', opencode: 'OpenCode' } as const;
type AgentHere = keyof typeof names;

/** Whether it is a session on this machine whose agent takes words. */
export function takesWords(session: SessionView): session is SessionView & { agent: AgentHere } {
  // The key of a session of a paired machine begins with that machine.
  return Object.hasOwn(names, session.agent) && session.key.startsWith(`${session.agent}:`);
}

/**
 * Sends words to a session on this machine, and prints whether it has them.
 *
 * @param typed the words; "-": standard input
 * @throws FailedError if nothing was sent, or that is unknown; UsageError for options that only the service takes
 */
export async function replyHere(
  context: Pick<CommandContext, 'ask' | 'output' | 'json' | 'env'>,
  { agent, key: sessionKey }: SessionView & { readonly agent: AgentHere },
  sessionId: string,
  typed: string,
  { image, file, computer, key }: ReplyOptions,
): Promise<void> {
  const { output, json } = context;
  if ([image, file, computer, key].some((option) => option !== undefined)) {
    throw new UsageError(
      `${names[agent]} takes only text: --image, --file, --computer and --key cannot be used`,
    );
  }
  const text = typed === '-' ? readInput('-').trimEnd() : typed;
  const { state, reason } =
    agent === 'codex'
      ? await inCodex(context, sessionId, text)
      : await asCaller(await context.ask('POST /v1/caller'), (caller) =>
          context.ask('POST /v1/words', {
            body: { session: sessionKey, text, caller },
            timeoutMs: WORDS_PROOF_MS + 10_000,
          }),
        );
  if (state === 'refused' || state === 'unknown') {
    const result = state === 'refused' ? 'Nothing was sent' : 'Check the session';
    throw new FailedError(
      `Cannot reply to session "${sessionId}": ${displayLine(reason ?? 'unknown')}`,
      { hint: `${result}; ${whenItWaits[agent]}answer in the session's terminal` },
    );
  }
  if (json) return output.json({ session: sessionId, agent, state });
  output.say(texts[state]);
}

async function inCodex({ env }: Pick<CommandContext, 'env'>, threadId: string, text: string) {
  const { agentProcesses } = await import('../agents/registry.ts');
  const known = { processes: agentProcesses, pids: new Set<number>() };
  const agent = await whyRunByAgent(process.pid, known);
  if (agent !== null) return { state: 'refused' as const, reason: wordsRefused(agent) };
  const here = { env, home: homedir(), platform: process.platform };
  const { replyToCodex } = await import('../reply/reply-to-codex.ts');
  const sent = await replyToCodex({ threadId, text }, here);
  return { state: sent.state, reason: 'reason' in sent ? sent.reason : null };
}

const whenItWaits: Readonly<Record<AgentHere, string>> = {
  claude:
    'Claude Code waits for words after a turn, while you are away, and after "hookbell install --answers --words"; ',
  codex: '',
  opencode: 'OpenCode waits for words after a turn, and after "hookbell install --answers"; ',
};

const texts = {
  confirmed: 'Read back: the session has the exact text',
  queued: 'Queued, not confirmed: Codex gives it to the session after its current step',
  sent: 'Sent, not confirmed: the agent has not gone on with it yet. Look at the session',
} as const;

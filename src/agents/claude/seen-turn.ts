import { z } from 'zod';

import { FIRST_QUESTION, type RecordedSession } from '../../core/agent/witness.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import type { SeenDetails } from '../support/seen-events.ts';
import type { TranscriptLine } from '../support/transcript-lines.ts';

/*
 * Lines of a transcript of Claude Code 2.1.332, written up to half a second after what they are about:
 *   {"type":"user","message":{"content":"The prompt"}}, or a list with {"type":"text"} and {"type":"tool_result","tool_use_id":…}
 *   {"type":"assistant","message":{"content":[{"type":"text","text":…},{"type":"tool_use","id":…,"name":…,"input":…}]}}
 *   {"type":"assistant","isApiErrorMessage":true,…} for a failed request, {"type":"system","subtype":"turn_duration"} at the end
 */
const Line = z.object({
  type: z.enum(['user', 'assistant', 'system']),
  subtype: z.string().optional(),
  timestamp: z.iso.datetime({ offset: true }),
  isSidechain: z.literal(false).optional(),
  isMeta: z.boolean().optional(),
  isApiErrorMessage: z.boolean().optional(),
  message: z
    .object({ id: z.string().optional(), content: z.union([z.string(), z.array(z.unknown())]) })
    .optional(),
});
const Text = z.object({ type: z.literal('text'), text: z.string() });
const ToolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string().min(1),
  input: z.unknown(),
});
const ToolResult = z.object({ type: z.literal('tool_result'), tool_use_id: z.string() });

/** From the last words of a turn to its end; hooks run in between, ms. */
const FRESH_MS = 30_000;

const INTERRUPTED = '[Request interrupted by user';

/** The turn at the end of a transcript. */
interface Turn {
  words: string | null;
  error: string | null;
  isInterrupted: boolean;
  isOver: boolean;
  /** When the agent wrote last, Unix ms. */
  writtenAt: number;
  /** Calls without a result. */
  calls: readonly z.output<typeof ToolUse>[];
}

/**
 * Reads no further back than needed: the agent answers all calls of one message before the next message, so only the
 * newest can have calls that wait.
 *
 * @param lines the newest first
 */
function lastTurn(lines: Iterable<TranscriptLine>, needsWords: boolean): Turn {
  const turn: Turn = {
    words: null,
    error: null,
    isInterrupted: false,
    isOver: false,
    writtenAt: 0,
    calls: [],
  };
  const ended = new Set<string>();
  let newest: string | undefined;
  for (const line of lines) {
    const { data } = Line.safeParse(line);
    if (data === undefined) continue;
    const { type, subtype, timestamp, isMeta, isApiErrorMessage, message } = data;
    if (subtype === 'turn_duration') turn.isOver = true;
    if (type !== 'user' && turn.writtenAt === 0) turn.writtenAt = Date.parse(timestamp);
    if (type === 'assistant') {
      newest ??= message?.id;
      const isEnough = !needsWords || turn.words !== null || turn.error !== null;
      if (isEnough && message?.id !== newest) return turn;
    }
    const content = message?.content ?? [];
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    for (const part of parts.toReversed()) {
      const { text } = Text.safeParse(part).data ?? {};
      const call = ToolUse.safeParse(part).data;
      const result = ToolResult.safeParse(part).data;
      if (result !== undefined) ended.add(result.tool_use_id);
      else if (call !== undefined) {
        if (!ended.has(call.id)) turn.calls = [call, ...turn.calls];
      } else if (text === undefined) continue;
      else if (type === 'assistant' && turn.words !== null) continue;
      else if (type === 'assistant' && isApiErrorMessage === true) turn.error ??= text;
      else if (type === 'assistant') turn.words = text;
      else if (text.startsWith(INTERRUPTED)) turn.isInterrupted = true;
      else if (isMeta !== true) return turn;
    }
  }
  return turn;
}

/** Null while the transcript does not show it. */
export function turnDetails(
  session: RecordedSession,
  lines: Iterable<TranscriptLine>,
): SeenDetails | null {
  if (session.state === 'waiting') return waitDetails(session, lastTurn(lines, false).calls);
  if (session.state !== 'idle') return plainDetails(session);
  const { words, error, isInterrupted, isOver, writtenAt, calls } = lastTurn(lines, true);
  // The prompt of the turn may not be written yet: this is the end of the one before.
  if (writtenAt < session.since - FRESH_MS) return null;
  if (isInterrupted) return { status: 'turn.interrupted' };
  if (error !== null) return { status: 'turn.failed', error };
  if (!isOver && (words === null || calls.length > 0)) return null;
  return { status: 'turn.done', ...(words !== null && { message: words }) };
}

const QUESTION = 'AskUserQuestion';
/** Calls that run while another agent asks. */
const ofAgents: readonly string[] = ['Agent', 'Task'];

/** The call that a wait is about; several may be open, of which the dialog shows one. */
function waitDetails(
  session: RecordedSession,
  open: readonly z.output<typeof ToolUse>[],
): SeenDetails | null {
  const { waitingFor } = session;
  const plain = plainDetails(session);
  if (waitingFor !== 'permission prompt' && waitingFor !== 'input needed') return plain;
  if (open.length === 0) return null;
  const isQuestion = waitingFor === 'input needed';
  const fitting = open.filter(
    ({ name }) => (name === QUESTION) === isQuestion && !ofAgents.includes(name),
  );
  const [call, ...others] = fitting;
  if (call === undefined) return plain;
  if (others.length === 0)
    return { status: plain.status, tool_name: call.name, tool_input: call.input };
  const names = cutText(displayLine(fitting.map(({ name }) => name).join(', ')), MOST_SHOWN);
  return { ...plain, message: `One of several calls needs a permission: ${names}` };
}

const MOST_SHOWN = 200;

/** What is meant by the agent's words for a wait. */
const waits: Readonly<Record<string, SeenDetails>> = {
  'permission prompt': { status: 'needs.permission', message: 'A permission dialog is open' },
  'sandbox request': {
    status: 'needs.permission',
    message: 'A command in the sandbox wants to use the network',
  },
  'worker request': { status: 'needs.permission', message: 'A teammate needs a permission' },
  'goal proposal': { status: 'needs.input', message: 'It proposes a goal for the session' },
  'input needed': { status: 'needs.input', message: 'It asks for your input' },
  'dialog open': { status: 'needs.input', message: 'A dialog is open' },
  [FIRST_QUESTION]: {
    status: 'needs.input',
    message:
      'It asks something before the session begins, such as whether the folder is trusted or who signs in',
  },
};

const surfaces: Readonly<Record<string, string>> = {
  'claude-vscode': 'VS Code',
  'claude-desktop': 'the desktop app',
  'claude-desktop-3p': 'the desktop app',
};

export function plainDetails({ state, waitingFor, surface }: RecordedSession): SeenDetails {
  if (state === 'idle') return { status: 'turn.interrupted' };
  if (state !== 'waiting') return { status: 'activity' };
  const word = waitingFor ?? '';
  const where = Object.hasOwn(surfaces, surface ?? '') ? ` in ${surfaces[surface ?? '']}` : '';
  const known = Object.hasOwn(waits, word) ? waits[word] : undefined;
  const said = cutText(displayLine(word), MOST_SHOWN);
  const { status, message } = known ?? { status: 'needs.input', message: `It waits: ${said}` };
  return { status, message: `${message ?? ''}${where}` };
}

import { z } from 'zod';

import type { Asked } from '../../core/asked.ts';
import type { HookEvent } from '../../core/hook-event.ts';
import { askedOf } from '../support/read-asked.ts';
import { inWords } from '../support/readings.ts';
import {
  linesLike,
  type TranscriptAnswer,
  type TranscriptLine,
  type TranscriptReading,
  type TurnFailure,
  WRITTEN_LATE_MS,
} from '../support/transcript-lines.ts';

/*
 * Lines of the transcript of Copilot CLI 1.0.102, `events.jsonl` of the session:
 *   {"type":"user.message","timestamp":…,"data":{"content":"Publish it","messageId":…}}
 *   {"type":"tool.execution_start",…,"data":{"toolName":"ask_user","arguments":{"message":"Which database?"}}}
 *   {"type":"assistant.message",…,"data":{"content":"It is published"}}
 *   {"type":"permission.requested",…,"data":{"requestId":…}}
 *   {"type":"permission.completed",…,"data":{"requestId":…,"result":{"kind":"approved"}}}, "cancelled" when the person refuses
 *   {"type":"session.error",…,"data":{"message":"400 The model does not exist"}}
 *   {"type":"abort",…,"data":{"reason":"user_initiated"}}
 * Lines of a subagent have an `agentId`. A turn with a session.error runs no hook at its end, and some lines are written a moment
 * after the hook has begun.
 */
const Line = z.object({
  type: z.enum([
    'user.message',
    'assistant.message',
    'tool.execution_start',
    'session.error',
    'abort',
  ]),
  id: z.string(),
  timestamp: z.iso.datetime({ offset: true }),
  agentId: z.undefined().optional(),
  data: z.object({
    content: z.string().optional().catch(undefined),
    message: z.string().optional().catch(undefined),
    toolName: z.string().optional().catch(undefined),
    arguments: z.unknown().optional(),
  }),
});
type Line = z.output<typeof Line>;

/** The steps of a permission, of the session and of its subagents, and what interrupts a turn. */
const RequestLine = z.object({
  type: z.enum(['permission.requested', 'permission.completed', 'abort']),
  timestamp: z.iso.datetime({ offset: true }),
  data: z
    .object({
      requestId: z.string().optional().catch(undefined),
      result: z.object({ kind: z.string() }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

export const copilotTranscript: TranscriptReading = {
  helps: ({ kind, message, asked, failed, notificationType, subagent }) => {
    if (subagent) return false;
    if (kind === 'needs.input') return asked === null && notificationType === 'elicitation_dialog';
    return message === null && (kind === 'turn.done' || (kind === 'session.end' && failed));
  },
  complete(event, _payload, lines) {
    if (event.kind === 'session.end') {
      const message = failedTurn(lines)?.message ?? null;
      return message === null ? event : { ...event, message };
    }
    const found = linesLike(Line, lines);
    const turn = found.slice(found.findLastIndex(({ type }) => type === 'user.message') + 1);
    if (event.kind === 'needs.input') {
      const asked = questionIn(turn.findLast(({ type }) => type === 'tool.execution_start'));
      return asked === null ? event : { ...event, asked };
    }
    const message = turn
      .flatMap(({ type, data }) => (type === 'assistant.message' ? [data.content?.trim()] : []))
      .findLast((text) => text !== undefined && text !== '');
    return message === undefined ? event : { ...event, message };
  },
  failure: failedTurn,
  answer: answered,
  isLate: true,
  // Only the events at the end of a turn name it.
  pathOf: (sessionId) =>
    /^[\w-]{1,64}$/.test(sessionId) ? `~/.copilot/session-state/${sessionId}/events.jsonl` : null,
};

const Question = z.object({
  message: z.string().min(1),
  requestedSchema: z
    .object({
      properties: z.record(z.string(), z.object({ enum: z.array(z.string()).optional() })),
    })
    .optional()
    .catch(undefined),
});

function questionIn(call: Line | undefined): Asked | null {
  if (call?.data.toolName !== 'ask_user') return null;
  const { data } = Question.safeParse(call.data.arguments);
  if (data === undefined) return null;
  // Several fields are a form, which has no options.
  const [field, ...more] = Object.values(data.requestedSchema?.properties ?? {});
  const options = more.length === 0 ? (field?.enum ?? []) : [];
  return askedOf('AskUser', { questions: [{ question: data.message, options }] }, null);
}

function failedTurn(lines: readonly TranscriptLine[]): TurnFailure | null {
  const last = linesLike(Line, lines).at(-1);
  if (last?.type !== 'session.error') return null;
  const { message } = last.data;
  return {
    turn: last.id,
    at: Date.parse(last.timestamp),
    message: message === undefined ? null : inWords(message),
  };
}

/**
 * A request is over when every permission asked for by then has an answer, because the hook does not name the permission;
 * this is before the tool ends. A refusal runs no hook at all. A question ends with its tool, or with an interrupted turn.
 */
function answered(
  { kind, at: askedAt }: HookEvent,
  lines: readonly TranscriptLine[],
): TranscriptAnswer | null {
  const open = new Set<string>();
  let last: TranscriptAnswer | null = null;
  for (const found of linesLike(RequestLine, lines)) {
    const at = Date.parse(found.timestamp);
    const { requestId, result } = found.data ?? {};
    if (found.type === 'abort' && at >= askedAt) return { at, isTurnOver: true };
    if (requestId === undefined || kind !== 'needs.permission') continue;
    if (found.type === 'permission.requested') {
      if (at <= askedAt + WRITTEN_LATE_MS) open.add(requestId);
    } else if (open.delete(requestId) && at >= askedAt) {
      last = { at, isTurnOver: result?.kind === 'cancelled' };
    }
  }
  return open.size === 0 ? last : null;
}

import { z } from 'zod';

import type { HookEvent } from '../../core/hook-event.ts';
import { parseJsonObject } from '../../platform/json.ts';
import type { Payload } from './payload.ts';

/**
 * The lines of a transcript that hold a title, the most telling first, and where in them it stands: what a person called
 * the session, what the agent calls it, the summary of an earlier part, and droid's first line. None of them is documented, and
 * only `ai-title` was seen in public code that reads transcripts of Claude Code; a line of another shape is passed over.
 */
const titleLines = [
  { type: 'custom-title', field: 'customTitle' },
  { type: 'ai-title', field: 'aiTitle' },
  { type: 'summary', field: 'summary' },
  { type: 'session_start', field: 'title' },
] as const;

/** The title of a session in pieces of its transcript (JSON Lines), oldest first; null if missing. */
export function titleInTranscript(pieces: readonly string[]): string | null {
  const entries = pieces.flatMap((piece) => piece.split('\n').flatMap(entryIn));
  for (const { type, field } of titleLines) {
    const titles = entries.flatMap((entry) => {
      const title = entry['type'] === type ? entry[field] : null;
      return typeof title === 'string' && title.trim() !== '' ? [title] : [];
    });
    const latest = titles.at(-1);
    if (latest !== undefined) return latest;
  }
  return null;
}

/** Most lines are messages: only one with the word is worth parsing. A line cut at the border of a piece is skipped. */
function entryIn(line: string): readonly Readonly<Record<string, unknown>>[] {
  if (!titleLines.some(({ type }) => line.includes(`"${type}"`))) return [];
  const entry = parseJsonObject(line);
  return entry === null ? [] : [entry];
}

/** The answer to a request in a transcript: its time, Unix ms, and whether it interrupted the turn. */
export interface TranscriptAnswer {
  readonly at: number;
  readonly isTurnOver: boolean;
}

/*
 * Calls and their results, as agents write them:
 *   Claude Code  {"timestamp":…,"message":{"content":[{"type":"tool_use","id":…,"name":…}]}}, [{"type":"tool_result","tool_use_id":…}]
 *   Codex CLI    {"timestamp":…,"payload":{"type":"function_call","call_id":…}}, {"type":"function_call_output","call_id":…}
 *   Qwen Code    {"timestamp":…,"message":{"parts":[{"functionCall":{"id":…,"name":…}}]}}, [{"functionResponse":{"id":…}}]
 *   Gemini CLI   {"timestamp":…,"toolCalls":[{"id":…,"name":…,"status":"success","timestamp":…}]}, once the call is over
 * Lines without a time, or of another shape, are ignored.
 */
const Line = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  isSidechain: z.boolean().optional().catch(undefined),
  message: z
    .object({ content: z.unknown().optional(), parts: z.unknown().optional() })
    .optional()
    .catch(undefined),
  payload: z.unknown().optional(),
  toolCalls: z.unknown().optional(),
});
/** When a call was over; null: the time of its line. */
interface Ended {
  readonly id: string;
  readonly at: number | null;
}
const Call = z.union([
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string() }),
  z
    .object({ functionCall: z.object({ id: z.string(), name: z.string() }) })
    .transform(({ functionCall }) => functionCall),
  z
    .object({ type: z.string().regex(/_call$/), call_id: z.string() })
    .transform(({ call_id: id }) => ({ id, name: null })),
  z.object({ id: z.string(), name: z.string(), status: z.string() }),
]);
const Result = z.union([
  z
    .object({ type: z.literal('tool_result'), tool_use_id: z.string() })
    .transform(({ tool_use_id: id }) => ({ id, at: null })),
  z
    .object({ functionResponse: z.object({ id: z.string() }) })
    .transform(({ functionResponse: { id } }): Ended => ({ id, at: null })),
  z
    .object({ type: z.string().regex(/_call_output$/), call_id: z.string() })
    .transform(({ call_id: id }): Ended => ({ id, at: null })),
  z
    .object({
      id: z.string(),
      status: z.enum(['success', 'error', 'cancelled']),
      timestamp: z.iso.datetime({ offset: true }),
    })
    .transform(({ id, timestamp }): Ended => ({ id, at: Date.parse(timestamp) })),
]);
/** Claude Code's text when a user interrupts the turn, also by refusing a permission. */
const Interruption = z.object({ text: z.string().startsWith('[Request interrupted by user') });

interface Call {
  readonly id: string;
  readonly name: string | null;
  readonly at: number;
}

/** The line with a call may be written a moment after the hook that asks for it has begun, ms. */
export const WRITTEN_LATE_MS = 500;

/**
 * Returns whether a request was answered, according to the end of its session's transcript: every call that was open when
 * it was made has a result by now, whether the tool ran or was refused. So it does not matter which call it was about.
 *
 * @returns null if it is still open or unknown
 */
export function answerInTranscript(
  { at: askedAt, tool, subagent }: HookEvent,
  lines: readonly TranscriptLine[],
): TranscriptAnswer | null {
  // Subagents have separate transcripts.
  if (subagent) return null;
  const calls: Call[] = [];
  const results = new Map<string, number>();
  let interruptedAt: number | null = null;
  for (const line of lines) {
    const { data } = Line.safeParse(line);
    if (data === undefined || data.isSidechain === true) continue;
    const at = Date.parse(data.timestamp);
    if (at >= askedAt && isCancelled(line)) interruptedAt ??= at;
    for (const part of partsOf(data)) {
      const call = Call.safeParse(part).data;
      if (call !== undefined) calls.push({ id: call.id, name: call.name, at });
      const result = Result.safeParse(part).data;
      if (result !== undefined) results.set(result.id, result.at ?? at);
      if (at >= askedAt && Interruption.safeParse(part).success) interruptedAt ??= at;
    }
  }
  const open = calls.filter(
    ({ id, at }) =>
      at <= askedAt + WRITTEN_LATE_MS && (results.get(id) ?? Number.POSITIVE_INFINITY) >= askedAt,
  );
  const isAmong = open.some(({ name }) => name === null || tool === null || name === tool);
  const answers = open.map(({ id }) => results.get(id) ?? null);
  if (!isAmong || answers.includes(null)) return null;
  const at = Math.max(...answers.flatMap((one) => one ?? []));
  return { at: interruptedAt ?? at, isTurnOver: interruptedAt !== null };
}

function partsOf({ message, payload, toolCalls }: z.output<typeof Line>): readonly unknown[] {
  return [message?.content, message?.parts, payload, toolCalls].flatMap((parts) => parts ?? []);
}

/** Returns true for Gemini CLI's line about a turn interrupted by the person, also by refusing a permission. */
function isCancelled({ type, content }: TranscriptLine): boolean {
  return type === 'info' && content === 'Request cancelled.';
}

/** One line of a transcript (JSON Lines). */
export type TranscriptLine = Readonly<Record<string, unknown>>;

/** Reads fields that an agent's payloads omit from its transcript. */
export interface TranscriptReading {
  /** Whether the end of the transcript may add something to this event. */
  readonly helps: (event: HookEvent) => boolean;
  /**
   * Returns the event with the transcript's additions; the same object if it adds nothing.
   *
   * @param lines the last lines of the transcript, oldest first; more of the session may stand before them
   */
  readonly complete: (
    event: HookEvent,
    payload: Payload,
    lines: readonly TranscriptLine[],
  ) => HookEvent;
  /** Whether the latest turn has failed, for an agent that runs no hook then; null: it has not, or it is unknown. */
  readonly failure?: (lines: readonly TranscriptLine[]) => TurnFailure | null;
  /** The answer to an open request, for an agent that writes answers separately from the results of calls; null: none yet. */
  readonly answer?: (event: HookEvent, lines: readonly TranscriptLine[]) => TranscriptAnswer | null;
  /** Whether lines may be written a moment after the hook has begun that is about them. */
  readonly isLate?: boolean;
  /** Where the transcript of a session is if its payloads do not say; "~/" is the home directory. */
  readonly pathOf?: (sessionId: string) => string | null;
}

/** A failed turn in a transcript. */
export interface TurnFailure {
  /** The turn; the same whenever the transcript is read. */
  readonly turn: string;
  /** Unix ms. */
  readonly at: number;
  readonly message: string | null;
}

/** The objects in the end of a transcript; a line cut at its border, and anything else, is skipped. */
export function transcriptLines(tail: string): readonly TranscriptLine[] {
  return tail.split('\n').flatMap((line) => {
    const entry = parseJsonObject(line);
    return entry === null ? [] : [entry];
  });
}

/** The lines of a known shape; others are skipped. */
export function linesLike<Line>(
  schema: z.ZodType<Line>,
  lines: readonly TranscriptLine[],
): readonly Line[] {
  return lines.flatMap((line): readonly Line[] => {
    const { data } = schema.safeParse(line);
    return data === undefined ? [] : [data];
  });
}

/** The same from the end, the newest first, each parsed when it is needed. */
export function* linesFromEnd(tail: string): Generator<TranscriptLine> {
  for (let end = tail.length; end > 0;) {
    const start = tail.lastIndexOf('\n', end - 1) + 1;
    const entry = parseJsonObject(tail.slice(start, end));
    if (entry !== null) yield entry;
    end = start - 1;
  }
}

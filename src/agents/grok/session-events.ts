import { join } from 'node:path';

import { z } from 'zod';

import type { RecordedSession } from '../../core/agent/witness.ts';
import { isWaiting } from '../../core/hook-event.ts';
import { parseJson } from '../../platform/json.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import { permissionRequest } from '../support/readings.ts';
import type { SeenDetails, Witness } from '../support/seen-events.ts';
import type { TranscriptLine, TranscriptReading } from '../support/transcript-lines.ts';

/*
 * Grok Build 1.0.41 lists its running sessions in `active_sessions.json`, and writes in `events.jsonl` of each what it does:
 *   turn_started · tool_started · permission_requested · permission_resolved · tool_completed · turn_ended (outcome)
 * A permission is requested for every call, and resolved in the same millisecond where no person is asked. `updates.jsonl`, the
 * transcript that its hooks name, has the calls and words.
 */
const word = z.string().min(1).max(4_096);
const time = z.iso.datetime({ offset: true }).transform((at) => Date.parse(at));
const Listed = z.object({
  session_id: z.string().regex(/^[\w-]{8,100}$/),
  pid: z.int().min(2),
  cwd: word.nullish().catch(null),
  opened_at: time,
});
const Line = z.object({ ts: time, type: z.string(), tool_name: word.optional().catch(undefined) });
const Update = z.object({
  params: z.object({
    update: z.object({
      sessionUpdate: z.string(),
      toolCallId: z.string().optional(),
      title: z.string().optional(),
      rawInput: z.unknown().optional(),
      status: z.string().optional(),
      stop_reason: z.string().optional(),
      content: z.object({ text: z.string() }).optional().catch(undefined),
    }),
  }),
});

/** While this call runs, its question is on the screen: its permission is given without a person. */
const QUESTION = 'ask_user_question';

/** @param lines the newest first */
function stateIn(
  session: RecordedSession,
  lines: Iterable<TranscriptLine>,
): RecordedSession | null {
  const over = new Set<string>();
  const resolved = new Map<string, number>();
  let since: number | null = null;
  for (const line of lines) {
    const { data } = Line.safeParse(line);
    if (data === undefined) continue;
    const { ts, type, tool_name: tool = '' } = data;
    // What was before belongs to an earlier process.
    if (ts < session.since) return session;
    if (type === 'turn_ended') return { ...session, state: 'idle', since: ts };
    if (type === 'turn_started') return { ...session, state: 'working', since: since ?? ts };
    const [, request, end] = /^(\w+)_(?:requested|(resolved))$/.exec(type) ?? [];
    const named = `${request} ${tool}`;
    if (type === 'tool_completed') over.add(tool);
    else if (end !== undefined) {
      if (tool === QUESTION && !over.has(tool)) return waiting(session, ts, tool);
      since ??= ts;
      resolved.set(named, (resolved.get(named) ?? 0) + 1);
    } else if (request !== undefined) {
      const left = resolved.get(named) ?? 0;
      // Another request than for a permission is not known yet: silence would be the worse guess.
      if (left === 0) return waiting(session, ts, request === 'permission' ? tool : request);
      resolved.set(named, left - 1);
    }
  }
  return since === null ? null : { ...session, state: 'working', since };
}

function waiting(session: RecordedSession, since: number, waitingFor: string): RecordedSession {
  return { ...session, state: 'waiting', since, waitingFor };
}

interface Call {
  readonly title: string;
  readonly rawInput: unknown;
}

/** The calls of the turn that have no result, the newest first. @param lines the newest first */
function openCalls(lines: Iterable<TranscriptLine>): readonly Call[] {
  const ended = new Set<string>();
  const open: Call[] = [];
  for (const line of lines) {
    const update = Update.safeParse(line).data?.params.update;
    if (update === undefined) continue;
    const { sessionUpdate: kind, toolCallId: id = '', title, rawInput, status } = update;
    if (kind === 'turn_completed' || kind === 'user_message_chunk') break;
    if (status === 'completed' || status === 'failed') ended.add(id);
    else if (kind === 'tool_call' && title !== undefined && !ended.has(id))
      open.push({ title, rawInput });
  }
  return open;
}

/** Null while the transcript does not show it: it is written a moment later. */
function details(session: RecordedSession, lines: Iterable<TranscriptLine>): SeenDetails | null {
  if (session.state === 'waiting') {
    const call = openCalls(lines).find(({ title }) => title === session.waitingFor);
    if (call === undefined) return null;
    return { status: plain(session).status, tool_name: call.title, tool_input: call.rawInput };
  }
  const words: string[] = [];
  let reason: string | null = null;
  for (const line of lines) {
    const update = Update.safeParse(line).data?.params.update;
    if (update === undefined) continue;
    const { sessionUpdate: kind, content } = update;
    if (kind === 'turn_completed') reason ??= update.stop_reason ?? '';
    else if (kind === 'agent_message_chunk' && content !== undefined) words.unshift(content.text);
    else if (words.length > 0 || kind === 'user_message_chunk') break;
  }
  if (reason === null) return null;
  const message = words.join('');
  if (reason === 'end_turn') return { status: 'turn.done', ...(message !== '' && { message }) };
  return reason === 'cancelled'
    ? { status: 'turn.interrupted' }
    : { status: 'turn.failed', error: `The turn ended: ${cutText(displayLine(reason), 100)}` };
}

/** Its notifications do not say what is asked. */
export const grokTranscript: TranscriptReading = {
  helps: ({ kind, asked, subagent }) => isWaiting(kind) && asked === null && !subagent,
  complete(event, payload, lines) {
    const [call, ...others] = openCalls(lines.toReversed());
    // Of several, it is not known which one is on the screen.
    if (call === undefined || others.length > 0) return event;
    const { title: tool, rawInput: toolInput } = call;
    const { kind, asked = null, text } = permissionRequest({ ...payload, tool, toolInput });
    return kind !== event.kind || asked === null ? event : { ...event, tool, asked, message: text };
  },
  isLate: true,
};

function plain({ state, waitingFor }: RecordedSession): SeenDetails {
  if (state !== 'waiting') return { status: 'turn.done' };
  if (waitingFor === QUESTION) return { status: 'needs.input', message: 'It asks a question' };
  const asked = cutText(displayLine(waitingFor ?? ''), 200);
  return { status: 'needs.permission', message: `It asks for a permission: ${asked}` };
}

export const grokWitness: Witness = {
  folder: '',
  // Beside it are keys.
  names: /^active_sessions\.json$/,
  read(_name, list) {
    const listed = z.array(z.unknown()).max(200).safeParse(parseJson(list)).data ?? [];
    return listed.flatMap((one): RecordedSession[] => {
      const { data } = Listed.safeParse(one);
      if (data === undefined) return [];
      const { session_id: sessionId, pid, cwd = null, opened_at: since } = data;
      const place = { sessionId, pid, cwd, start: null, version: null, surface: null };
      return [{ ...place, state: 'idle', since, waitingFor: null }];
    });
  },
  states: {
    pathOf: ({ sessionId }) => join('sessions', '*', sessionId, 'events.jsonl'),
    read: stateIn,
  },
  beginning: () => null,
  transcriptOf: ({ sessionId }) => join('sessions', '*', sessionId, 'updates.jsonl'),
  proof: () => ({ agent: 'grok' }),
  details,
  plain,
};

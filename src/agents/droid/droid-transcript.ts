import { z } from 'zod';

import type { Asked } from '../../core/asked.ts';
import type { HookEvent } from '../../core/hook-event.ts';
import { askedOf } from '../support/read-asked.ts';
import { inWords } from '../support/readings.ts';
import { linesLike, type TranscriptReading } from '../support/transcript-lines.ts';

/*
 * Lines of the transcript of droid 0.215, as a session with a scripted model wrote them:
 *   {"type":"message","id":…,"message":{"role":"assistant","content":[{"type":"text","text":…},{"type":"tool_use","id":…,"name":…,"input":{…}}]}}
 *   {"type":"message","id":…,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":…}]}}
 *   {"type":"message","id":…,"message":{"role":"user","content":[{"type":"text","text":"BYOK Error: 400 …"}],"visibility":"user_only"}}
 * The last one is a failed turn. All of them are written before the hook runs that is about them.
 */
const Line = z.object({
  type: z.literal('message'),
  id: z.string().optional(),
  message: z.object({
    role: z.string(),
    content: z.union([
      z.string().transform((text) => [{ type: 'text', text }]),
      z.array(z.looseObject({ type: z.string() })),
    ]),
    visibility: z.string().optional(),
  }),
});
type Message = z.output<typeof Line>;

const TextPart = z.object({ type: z.literal('text'), text: z.string() });
const ToolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});
const ToolResult = z.object({ type: z.literal('tool_result'), tool_use_id: z.string() });

export const droidTranscript: TranscriptReading = {
  helps: ({ kind, message, asked }) =>
    (kind === 'turn.done' && message === null) ||
    ((kind === 'needs.permission' || kind === 'needs.input') && asked === null),
  complete(event, { messageId }, lines) {
    const messages = linesLike(Line, lines);
    if (event.kind === 'turn.done') return withEnd(event, messages, messageId);
    return event.kind === 'needs.input'
      ? withQuestion(event, messages)
      : withRequest(event, messages);
  },
};

/** The message that `Stop` names: the agent's answer, or droid's message to the user about a failed turn. */
function withEnd(
  event: HookEvent,
  messages: readonly Message[],
  messageId: string | null,
): HookEvent {
  const last = messages.findLast(({ id }) => id !== undefined && id === messageId)?.message;
  const text = last === undefined ? '' : textIn(last.content);
  if (last === undefined || text === '') return event;
  if (last.role === 'assistant') return { ...event, message: text };
  const isForPerson = last.role === 'user' && last.visibility === 'user_only';
  if (!isForPerson || /\b(?:cancel|interrupt|abort)/i.test(text)) return event;
  // What follows the first paragraph is general advice.
  const [reason = text] = text.split(/\n\s*\n/);
  return { ...event, kind: 'turn.failed', failed: true, message: inWords(reason) };
}

/** droid's tools that never ask. */
const unasked = /^(?:Read|LS|Grep|Glob|TodoWrite|ToolSearch|Skill|WebSearch)$/;

/** droid asks for several calls of one message together and reports how many, not which. */
function withRequest(event: HookEvent, messages: readonly Message[]): HookEvent {
  const count = Number(/\bexecute (\d+) tool/.exec(event.message ?? '')?.[1] ?? 1);
  const requests = openCalls(messages).map(({ name, input }) => ({
    name,
    asked: askedOf(name, input, event.cwd),
  }));
  const commands = requests.filter(({ asked }) => asked?.action === 'run');
  // Edits may be allowed already while commands are not. Where that does not explain the number either, it is not known which.
  const wanted = [requests, commands].find((some) => some.length === count);
  const [first] = wanted ?? [];
  if (wanted === undefined || first === undefined || first.asked === null) return event;
  return { ...event, tool: event.tool ?? first.name, asked: withMore(first.asked, count - 1) };
}

/** The calls of the latest message with calls that have no result yet, without those that never ask. */
function openCalls(messages: readonly Message[]): readonly z.output<typeof ToolUse>[] {
  const done = new Set(
    messages.flatMap(({ message }) =>
      message.content.flatMap((part) => ToolResult.safeParse(part).data?.tool_use_id ?? []),
    ),
  );
  const latest = messages.findLast(({ message }) =>
    message.content.some((part) => ToolUse.safeParse(part).success),
  );
  return (latest?.message.content ?? []).flatMap((part) => {
    const call = ToolUse.safeParse(part).data;
    return call === undefined || done.has(call.id) || unasked.test(call.name) ? [] : [call];
  });
}

const Questionnaire = z.object({ questionnaire: z.string() });

/**
 * The question of the tool `AskUser`, whose input is a text such as
 *   1. [question] Which database should I use?
 *   [topic] Database
 *   [option] SQLite
 */
function withQuestion(event: HookEvent, messages: readonly Message[]): HookEvent {
  const call = openCalls(messages).findLast(({ name }) => name === 'AskUser');
  const text = Questionnaire.safeParse(call?.input).data?.questionnaire;
  if (text === undefined) return event;
  const questions: { question: string; options: string[] }[] = [];
  for (const line of text.split('\n')) {
    const [, field, value = ''] = /^[\s\d.]*\[(question|option)\]\s*(\S.*)$/.exec(line) ?? [];
    if (field === 'question') questions.push({ question: value.trim(), options: [] });
    else if (field === 'option') questions.at(-1)?.options.push(value.trim());
  }
  const asked = askedOf('AskUser', { questions }, event.cwd);
  return asked?.action === 'answer' ? { ...event, asked } : event;
}

function withMore(asked: Asked, more: number): Asked {
  if (more === 0) return asked;
  return { ...asked, text: `${asked.text}\n(and ${more} more ${more === 1 ? 'call' : 'calls'})` };
}

function textIn(content: readonly unknown[]): string {
  return content
    .flatMap((part) => TextPart.safeParse(part).data?.text ?? [])
    .join('\n')
    .trim();
}

import { z } from 'zod';

import { parseJson } from '../../platform/json.ts';
import type { Kind } from '../../core/hook-event.ts';
import { type Asked, MAX_ASKED, MAX_LABEL } from '../../core/asked.ts';
import { cutMiddle } from '../../text/sanitize.ts';
import { askedOf } from './read-asked.ts';
import type { Payload } from './payload.ts';
import { callHash } from './request.ts';
import { type Meaning, notificationWord, type Vocabulary } from './vocabulary.ts';

/** A subagent with a separate session (droid) begins and ends within its parent session. */
export function sessionStart({ agentId }: Payload): Meaning {
  return { kind: agentId === null ? 'session.start' : 'activity', text: null };
}

export function sessionEnd({ agentId, reason, errorText }: Payload): Meaning {
  if (agentId !== null) return { kind: 'activity', text: null };
  return { kind: 'session.end', text: inWords(errorText), reason };
}

/** Sources of a turn that no person typed (Claude Code). */
const machineSources: readonly string[] = ['system', 'poll_event'];
/** Sources of a prompt that the session has set for itself (Claude Code's /loop and scheduled tasks). */
const wakeUps: readonly string[] = ['loop_wakeup', 'schedule_wakeup'];

/** Prefixes of prompts that report a finished task: Claude Code's in the text, droid's in the message id. */
const taskPrompt = /^\s*<task-notification>/;
const taskMessage = /^task-completion:/;

export function prompt({ prompt: text, source, agentId, messageId }: Payload): Meaning {
  // Qwen repeats the event without a text after each tool result, and Codex sends it for its subagents, too.
  if (text === null || agentId !== null) return { kind: 'activity', text };
  if (taskPrompt.test(text) || taskMessage.test(messageId ?? ''))
    return { kind: 'activity', text, reportsTask: true };
  if (wakeUps.includes(source ?? '')) return { kind: 'activity', text, wokeItself: true };
  return { kind: machineSources.includes(source ?? '') ? 'activity' : 'prompt', text };
}

/** Says when it goes on, or how: "resets at 14:00", "try again in 5 minutes". */
const says =
  /\b(?:resets?|retry|try again|until|available|upgrade|wait)\b|\d{1,2}:\d{2}|\d\s?[ap]m\b/i;

/** The last words, and what the details add for a person. */
function failureText({ lastWords, errorDetails, errorText }: Payload): string | null {
  const text = inWords(lastWords ?? errorDetails ?? errorText);
  const details = inWords(errorDetails);
  const isNew = text !== null && details !== null && !text.includes(details);
  return isNew && says.test(details) ? `${text}\n${details}` : text;
}

/** The kind of subagent that ended, as its agent calls it: "code-reviewer". */
function ofSubagent({ agentType }: Payload): Pick<Meaning, 'tool'> {
  return agentType === null || agentType === '' ? {} : { tool: agentType };
}

/** The end of a turn whose `status` says how it came. */
export function endByStatus(payload: Payload): Meaning {
  const { status, lastWords: text } = payload;
  if (status === 'error') return { kind: 'turn.failed', text, reason: status };
  if (status === 'aborted') return { kind: 'turn.interrupted', text, reason: status };
  return turnEnd(payload);
}

/** A turn is over: Stop, AfterAgent, notify. */
export function turnEnd(payload: Payload): Meaning {
  const { agentId, hasBackgroundTasks, lastWords: text } = payload;
  const wakes = payload.wakes.length > 0 && { wakes: payload.wakes };
  if (agentId !== null) return { kind: 'subagent.done', text, ...ofSubagent(payload) };
  // The turn pauses until the background work reports, then goes on and stops again.
  if (hasBackgroundTasks) return { kind: 'activity', text, backgroundWork: true, ...wakes };
  return wakes === false ? { kind: 'turn.done', text } : { kind: 'activity', text, ...wakes };
}

export function turnFailure(payload: Payload): Meaning {
  return {
    kind: payload.agentId === null ? 'turn.failed' : 'subagent.done',
    text: failureText(payload),
    reason: payload.errorName,
    ...(payload.errorDetails !== null && { failure: payload.errorDetails }),
  };
}

export function subagentStop(payload: Payload): Meaning {
  const { agentType, lastWords: text } = payload;
  // Compaction in Claude Code fires two of these with an empty type and without any subagent.
  return { kind: agentType === '' ? 'activity' : 'subagent.done', text, ...ofSubagent(payload) };
}

export function toolDone(payload: Payload): Meaning {
  const about = callIn(payload);
  return { kind: 'tool.done', text: null, ...(about !== null && { about }) };
}

/** What a request and the result of its call have in common: no agent names the call by an id when it asks. */
function callIn({ agentId, tool, toolInput }: Payload): readonly (string | null)[] | null {
  return tool === null || toolInput === undefined ? null : [agentId, callHash(tool, toolInput)];
}

export function toolFailure(payload: Payload): Meaning {
  return { ...toolDone(payload), text: payload.errorText };
}

const JsonError = z.union([
  z
    .object({ error: z.object({ message: z.string().min(1) }) })
    .transform(({ error }) => error.message),
  z.object({ message: z.string().min(1) }).transform(({ message }) => message),
  z.object({ error: z.string().min(1) }).transform(({ error }) => error),
]);

/** An error as the service sent it, such as `API Error: 400 {"error":{"message":"…"}}`, without its JSON. */
export function inWords(text: string | null): string | null {
  const start = text?.indexOf('{') ?? -1;
  if (text === null || start === -1) return text;
  const json = parseJson(text.slice(start, text.lastIndexOf('}') + 1));
  const message = JsonError.safeParse(json).data;
  return message === undefined ? text : `${text.slice(0, start).trim()} ${message}`.trim();
}

export function elicitation(payload: Payload): Meaning {
  return { kind: 'needs.input', text: payload.message, asked: askedByServer(payload) };
}

const Text = z.string().min(1);
const MOST_FIELDS = 20;

const FormField = z.object({
  title: Text.optional().catch(undefined),
  description: Text.optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  enum: z.array(z.string()).optional().catch(undefined),
  enumNames: z.array(z.string()).optional().catch(undefined),
  oneOf: z
    .array(z.object({ const: z.string(), title: Text.optional() }))
    .optional()
    .catch(undefined),
});

/** The part of a JSON Schema that the Model Context Protocol allows in a form: flat, with primitive fields. */
const Form = z.object({
  properties: z.record(z.string(), FormField.catch({})).optional().catch(undefined),
  required: z.array(z.string()).optional().catch(undefined),
});

function fieldOf(field: z.output<typeof FormField>, name: string, isRequired: boolean) {
  const about = field.description === undefined ? '' : `: ${field.description}`;
  const labels =
    field.oneOf?.map((one) => one.title ?? one.const) ??
    field.enum?.map((value, index) => field.enumNames?.[index] ?? value) ??
    (field.type === 'boolean' ? ['yes', 'no'] : []);
  return {
    text: cutMiddle(`${field.title ?? name}${isRequired ? '' : ' (optional)'}${about}`, MAX_LABEL),
    options: labels.map((label) => ({ label: cutMiddle(label, MAX_LABEL), description: null })),
  };
}

/** The form of an MCP server (`Elicitation` of Claude Code): its question, its fields, and what each offers. */
function askedByServer({ server, message, url, formSchema: schema }: Payload): Asked | null {
  if (server === null) return null;
  const { properties = {}, required = [] } = Form.safeParse(schema).data ?? {};
  const questions = Object.entries(properties)
    .slice(0, MOST_FIELDS)
    .map(([name, field]) => fieldOf(field, name, required.includes(name)));
  const sentence = [server, message].filter((part) => part !== null).join(': ');
  return {
    action: 'answer',
    text: cutMiddle([sentence, ...(url === null ? [] : [url])].join('\n'), MAX_ASKED),
    options: [],
    ...(questions.length > 0 && { questions }),
  };
}

/** Tools that ask the person something instead of a permission. */
const questionTools: readonly string[] = [
  'askuserquestion',
  'ask_user_question',
  'askuser',
  'request_user_input',
  'ask_question',
];

export function permissionRequest(payload: Payload): Meaning {
  const { tool, toolInput, cwd } = payload;
  const about = callIn(payload) ?? [tool];
  const call = askedOf(tool, toolInput, cwd);
  const by = payload.agentId === null ? null : payload.agentType;
  const asked = call === null || !by ? call : { ...call, by };
  if (!questionTools.includes(tool?.toLowerCase() ?? '')) {
    return { kind: 'needs.permission', text: null, asked, about };
  }
  const text = asked?.action === 'answer' ? (asked.text.split('\n')[0] ?? null) : null;
  return { kind: 'needs.input', text, asked, about };
}

/** A tool is about to run: of one that asks the person something, this is the only sign of the question. */
export function questionAhead(payload: Payload): Meaning {
  return questionTools.includes(payload.tool?.toLowerCase() ?? '')
    ? permissionRequest(payload)
    : { kind: 'activity', text: null };
}

/** A notification is for a person: one whose type is not known is taken for a wait; only what the vocabulary lists may be silent. */
export function notification(payload: Payload, vocabulary: Vocabulary): Meaning {
  const { notificationType: type, message: text } = payload;
  if (type === null) return { kind: waitIn(text), text };
  const word = notificationWord(vocabulary, type);
  if (word === null) return { kind: waitIn(text), text, isUnknown: true };
  return word.reading?.(payload, vocabulary) ?? { kind: word.kind, text };
}

/** Without a type (droid, older Claude Code), or with an unknown one, the text decides; in every case the agent waits. */
function waitIn(text: string | null): Kind {
  return /needs your (?:permission|approval)/i.test(text ?? '')
    ? 'needs.permission'
    : 'needs.input';
}

/** What a plugin says: the title of its message is its name, or one of its choice. */
export function pluginMessage({ message, notificationTitle: title }: Payload): Meaning {
  if (title === null) return { kind: 'message', text: message };
  return { kind: 'message', text: message === null ? title : `${title}: ${message}` };
}

/** "reviewer needs permission for Bash", "reviewer needs network access to example.com" (Claude Code). */
const workersWish = /^(.{1,200}?) needs (?:permission for |(?=network access to ))(\S.*)$/su;
const toNetwork = /^network access to /u;

/** A teammate asks beside the conversation of its lead, which goes on. */
export function workerRequest({ message: text }: Payload): Meaning {
  const [, by, what] = workersWish.exec(text ?? '') ?? [];
  return {
    kind: 'needs.permission',
    text,
    isAside: true,
    ...(what !== undefined && !toNetwork.test(what) && { tool: what }),
    ...(what !== undefined &&
      by !== undefined && { asked: { action: 'use', text: what, options: [], by } }),
  };
}

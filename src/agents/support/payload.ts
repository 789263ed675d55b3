import { z } from 'zod';
import type { HookFacts } from '../../core/facts.ts';
import { CallerWishes, lenient } from '../../core/hand-made.ts';
import { isJsonObject } from '../../platform/json.ts';
import { promptMark, type WakeUp } from '../../core/hook-event.ts';

/** Longer texts are cut, never the event dropped: the whole payload stays in the store. UTF-16 units. */
const MAX_TEXT = 65_536;
/** Limit for ids, names and paths (Linux allows paths of 4,096 bytes). */
const MAX_NAME = 4_096;

const text = lenient(nonEmpty(MAX_TEXT));
const name = lenient(nonEmpty(MAX_NAME));
const list = lenient(z.array(z.unknown()));
const flag = lenient(z.boolean());

function nonEmpty(max: number) {
  return z
    .string()
    .min(1)
    .transform((value) => value.slice(0, max));
}

/** A prompt as Kimi Code sends it: parts, of which those with a text count. */
const PromptParts = z
  .array(z.object({ text: z.string().optional() }))
  .transform((parts) => parts.flatMap(({ text: part }) => part ?? []).join('\n'));

/** The fields of a hook payload that hookbell reads, in the spellings of all agents; others stay in the raw payload. */
export const Wire = z.object({
  hook_event_name: name,
  hookEventName: name,
  /** Codex notify and OpenCode name their event so. */
  type: name,
  session_id: name,
  sessionId: name,
  conversation_id: name,
  'thread-id': name,
  cwd: name,
  workspace_roots: list,
  transcript_path: name,
  transcriptPath: name,
  permission_mode: name,
  permissionMode: name,
  session_title: text,
  source: name,
  reason: name,
  status: name,
  message: text,
  /** Claude Code: of a plugin's notification. */
  title: name,
  notification_type: name,
  notificationType: name,
  /** Claude Code: a form or an address of an MCP server. */
  mcp_server_name: name,
  url: name,
  requested_schema: z.unknown().optional(),
  tool_name: name,
  toolName: name,
  tool_input: z.unknown().optional(),
  toolInput: z.unknown().optional(),
  toolArgs: z.unknown().optional(),
  permission_suggestions: z.unknown().optional(),
  tool_use_id: name,
  toolUseId: name,
  prompt: lenient(z.union([nonEmpty(MAX_TEXT), PromptParts.pipe(nonEmpty(MAX_TEXT))])),
  prompt_response: text,
  last_assistant_message: text,
  lastAssistantMessage: text,
  'last-assistant-message': text,
  task_error: text,
  task_result: text,
  error: lenient(z.union([nonEmpty(MAX_TEXT), z.object({ name, message: text })])),
  error_details: text,
  errorDetails: text,
  /** Grok Build: who or what ended a turn before its end. */
  cancelledBy: name,
  reasonDetails: text,
  /** Gemini CLI says in it what a permission is for. */
  details: z.unknown().optional(),
  agent_id: name,
  agentId: name,
  /** The only field in which empty is not absent: in Claude Code it means that no subagent ran. */
  agent_type: lenient(z.string()),
  agentType: lenient(z.string()),
  /** Grok Build: only in events of a subagent, which is a separate session. */
  subagentType: name,
  stop_hook_active: flag,
  stopHookActive: flag,
  background_tasks: list,
  backgroundTasks: list,
  /** Claude Code 2.1.145 and later: `{ id, schedule, recurring, prompt }`, read from the program of 2.1.332. */
  session_crons: list,
  prompt_id: name,
  promptId: name,
  message_id: name,
  turn_id: name,
  'turn-id': name,
  /** droid: the session that started this one as its subagent. */
  calling_session_id: name,
  /** Copilot CLI: the session, or the subagent, that started this one as its subagent. */
  parentAgentId: name,
  /** How long a tool ran, ms. */
  duration_ms: lenient(z.number().nonnegative()),
  /** Copilot CLI: whether it goes on after an error; how a turn ended. */
  recoverable: flag,
  stopReason: name,
  generation_id: name,
  cursor_version: name,
  timestamp: z.unknown().optional(),
  /** Our plugin of OpenCode: whether the answer that the event reports was the one from hookbell. */
  from_hookbell: flag,
  hookbell: lenient(CallerWishes),
  /** OpenCode: https://opencode.ai/docs/plugins, types in its SDK. */
  properties: lenient(
    z.object({
      sessionID: name,
      /** The id of a permission or question; the events of its answer call it `requestID`. */
      id: name,
      requestID: name,
      permission: name,
      patterns: z.unknown().optional(),
      /** What `permission` and `patterns` are called in `permission.v2.asked`. */
      action: name,
      resources: z.unknown().optional(),
      metadata: z.unknown().optional(),
      questions: z.unknown().optional(),
      /** What else a permission may allow. */
      always: z.unknown().optional(),
      error: lenient(z.object({ name, data: lenient(z.object({ message: text })) })),
      info: lenient(
        z.object({ id: name, sessionID: name, role: name, directory: name, title: text }),
      ),
    }),
  ),
});
export type Wire = z.output<typeof Wire>;

/** The fields of a payload, regardless of their spelling; null: absent. */
export type Payload = Readonly<ReturnType<typeof readPayload>>;

/** Reads each value from the first field that has it; where two spellings exist snake_case wins. */
export function readPayload(wire: Wire, facts: HookFacts) {
  const { properties, error } = wire;
  const errorObject = typeof error === 'string' ? undefined : error;
  const errorString = typeof error === 'string' ? error : undefined;
  const event = wire.hook_event_name ?? wire.hookEventName ?? wire.type ?? facts.event ?? null;
  return {
    /** The agent's name of the event. */
    event,
    sessionId:
      wire.calling_session_id ??
      parentOfChild(wire) ??
      wire.session_id ??
      wire.sessionId ??
      wire.conversation_id ??
      wire['thread-id'] ??
      openCodeSessionId(wire) ??
      null,
    cwd: wire.cwd ?? firstText(wire.workspace_roots) ?? properties?.info?.directory ?? null,
    transcriptPath: wire.transcript_path ?? wire.transcriptPath ?? null,
    permissionMode: wire.permission_mode ?? wire.permissionMode ?? null,
    title: wire.session_title ?? givenTitle(properties?.info?.title),
    source: wire.source ?? null,
    reason: wire.reason ?? null,
    status: wire.status ?? null,
    message: wire.message ?? null,
    notificationType: wire.notification_type ?? wire.notificationType ?? null,
    /** The MCP server that asks a person to visit an address, or to fill in a form. */
    server: wire.mcp_server_name ?? null,
    url: wire.url ?? null,
    formSchema: wire.requested_schema,
    notificationTitle: wire.title ?? null,
    tool: wire.tool_name ?? wire.toolName ?? null,
    toolInput: wire.tool_input ?? wire.toolInput ?? wire.toolArgs,
    /** What Claude Code offers to allow from now on. */
    suggestions: wire.permission_suggestions,
    /** What a notification is about (Gemini CLI). */
    details: wire.details,
    toolUseId: wire.tool_use_id ?? wire.toolUseId ?? null,
    /** How long the tool ran, ms. */
    toolMs: wire.duration_ms ?? null,
    prompt: wire.prompt ?? null,
    /** The agent's last words of a turn or of a subagent's task. */
    lastWords:
      wire.last_assistant_message ??
      wire.lastAssistantMessage ??
      wire['last-assistant-message'] ??
      wire.prompt_response ??
      wire.task_error ??
      wire.task_result ??
      null,
    /** What went wrong: a text for people … */
    errorText: errorString ?? errorObject?.message ?? properties?.error?.data?.message ?? null,
    /** … and the agent's word for it, such as "rate_limit". */
    errorName: errorString ?? errorObject?.name ?? properties?.error?.name ?? null,
    errorDetails: wire.error_details ?? wire.errorDetails ?? null,
    cancelledBy: wire.cancelledBy ?? null,
    reasonDetails: wire.reasonDetails ?? null,
    /** Whether the agent goes on after the error. */
    recoverable: wire.recoverable ?? false,
    stopReason: wire.stopReason ?? null,
    agentId: wire.agent_id ?? wire.agentId ?? ownIdOfChild(wire),
    /** May be empty, which is not the same as null. */
    agentType: wire.agent_type ?? wire.agentType ?? null,
    stopHookActive: wire.stop_hook_active ?? wire.stopHookActive ?? false,
    hasBackgroundTasks: (wire.background_tasks ?? wire.backgroundTasks ?? []).some(isUnderWay),
    /** When and with which prompts the session wakes itself. */
    wakes: wakesIn(wire.session_crons ?? []),
    promptId: wire.prompt_id ?? wire.promptId ?? null,
    messageId: wire.message_id ?? null,
    turnId: wire.turn_id ?? wire['turn-id'] ?? null,
    generationId: wire.generation_id ?? null,
    /** When it happened, as the agent writes it; null if that is not a text. */
    timestamp: typeof wire.timestamp === 'string' ? wire.timestamp : null,
    /** OpenCode: the request that is asked or answered. */
    requestId: properties?.requestID ?? properties?.id ?? null,
    tookAnswer: wire.from_hookbell ?? null,
    wishes: wire.hookbell,
    /** OpenCode's own. */
    properties,
  };
}

/** A subagent of droid is a separate session, which names its parent session; one of Grok Build names only its own type. */
function ownIdOfChild(wire: Wire): string | null {
  const { calling_session_id: parent, session_id: own, subagentType } = wire;
  const isChild = subagentType !== undefined || (parent !== undefined && parent !== own);
  return isChild ? (own ?? null) : null;
}

/** A subagent of Copilot CLI sends its own id as that of the session as well, and names its parent. */
function parentOfChild({ parentAgentId, agentId, sessionId }: Wire): string | undefined {
  return agentId !== undefined && agentId === sessionId ? parentAgentId : undefined;
}

/** OpenCode names a session by the time until it has a title for it. */
function givenTitle(title: string | undefined): string | null {
  return title === undefined || /^(?:New|Child) session - \d{4}-/.test(title) ? null : title;
}

/** Events about a session carry the session itself as `info`, events about a message the message. */
function openCodeSessionId({ type, properties }: Wire): string | undefined {
  const info = properties?.info;
  const ownId = type?.startsWith('session.') === true ? info?.id : undefined;
  return properties?.sessionID ?? info?.sessionID ?? ownId;
}

function firstText(values: readonly unknown[] | undefined): string | undefined {
  const first = values?.[0];
  return typeof first === 'string' && first !== '' ? first : undefined;
}

const MOST_CRON = 1_024;
/** With more, the next time is unknown. */
const MOST_CRONS = 50;

/** The wake-ups in the `session_crons` of Claude Code: `{ id, schedule, recurring, prompt }`. */
function wakesIn(crons: readonly unknown[]): readonly WakeUp[] {
  return crons.length > MOST_CRONS ? [{ cron: '', prompt: null }] : crons.map(wakeOf);
}

/** Claude Code ends a prompt of more than 1000 characters with how many it left out. */
const cutPrompt = /… \[\+\d+ chars\]$/;

function wakeOf(cron: unknown): WakeUp {
  const { schedule, prompt } = isJsonObject(cron) ? cron : {};
  const isWhole = typeof prompt === 'string' && prompt.trim() !== '' && !cutPrompt.test(prompt);
  return {
    cron: typeof schedule === 'string' ? schedule.slice(0, MOST_CRON) : '',
    prompt: isWhole ? promptMark(prompt) : null,
  };
}

/** Qwen Code keeps background tasks that are over in its list. */
function isUnderWay(task: unknown): boolean {
  const status = isJsonObject(task) ? task['status'] : undefined;
  return status !== 'completed' && status !== 'failed' && status !== 'cancelled';
}

import { z } from 'zod';

/** Longer texts are cut, never the event dropped: the whole payload stays in the store. UTF-16 units. */
const MAX_TEXT = 65_536;
/** The same for ids, names and paths (Linux allows paths of 4,096 bytes). */
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

/** Null, empty and of the wrong type count as absent: the event lives without that field. */
function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/**
 * The fields of a hook payload that hookbell reads, in the spellings of all agents. Other fields are left out here
 * and kept in the raw payload.
 */
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
  notification_type: name,
  notificationType: name,
  tool_name: name,
  toolName: name,
  tool_input: z.unknown().optional(),
  toolInput: z.unknown().optional(),
  toolArgs: z.unknown().optional(),
  tool_use_id: name,
  toolUseId: name,
  prompt: text,
  prompt_response: text,
  last_assistant_message: text,
  lastAssistantMessage: text,
  'last-assistant-message': text,
  task_error: text,
  task_result: text,
  error: lenient(z.union([nonEmpty(MAX_TEXT), z.object({ name, message: text })])),
  error_details: text,
  /** Gemini CLI says in it what a permission is for. */
  details: z.unknown().optional(),
  agent_id: name,
  agentId: name,
  /** The one field in which empty is not absent: Claude Code says by it that there was no subagent. */
  agent_type: lenient(z.string()),
  agentType: lenient(z.string()),
  stop_hook_active: flag,
  stopHookActive: flag,
  background_tasks: list,
  backgroundTasks: list,
  prompt_id: name,
  message_id: name,
  turn_id: name,
  'turn-id': name,
  /** droid: the session that started this one as its subagent. */
  calling_session_id: name,
  /** How long a tool ran, ms. */
  duration_ms: lenient(z.number().nonnegative()),
  /** Copilot CLI: whether it goes on after an error; how a turn ended. */
  recoverable: flag,
  stopReason: name,
  generation_id: name,
  cursor_version: name,
  timestamp: z.unknown().optional(),
  /** OpenCode: https://opencode.ai/docs/plugins, types in its SDK. */
  properties: lenient(
    z.object({
      sessionID: name,
      permission: name,
      patterns: z.unknown().optional(),
      /** What `permission` and `patterns` are called in `permission.v2.asked`. */
      action: name,
      resources: z.unknown().optional(),
      metadata: z.unknown().optional(),
      questions: z.unknown().optional(),
      error: lenient(z.object({ name, data: lenient(z.object({ message: text })) })),
      info: lenient(
        z.object({ id: name, sessionID: name, role: name, directory: name, title: text }),
      ),
    }),
  ),
});
export type Wire = z.output<typeof Wire>;

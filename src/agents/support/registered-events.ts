import type { RegisteredEvent } from '../../core/agent/registration.ts';
import { sha256 } from '../../platform/crypto.ts';
import type { Meaning } from './vocabulary.ts';
import type { Payload } from './payload.ts';

/**
 * The events droid, Claude Code and Qwen Code share and hookbell listens to: the five of the hook interface, and those that
 * begin a session or a turn, without which its length would be unknown.
 */
export const commonEvents: readonly string[] = [
  'Notification',
  'Stop',
  'SubagentStop',
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PostToolUse',
];

/** The hook ends within 4 s by itself; the agent's own limit, in seconds, stands behind that. */
const TIMEOUT_SECONDS = 5;

export function registered(
  names: readonly string[],
  options: { readonly timeoutSeconds?: number; readonly matcher?: string } = {},
): readonly RegisteredEvent[] {
  return names.map((name) => ({ name, timeoutSeconds: TIMEOUT_SECONDS, ...options }));
}

/**
 * The identity of a turn's end by the id of its prompt or message. The id alone would swallow real events: a turn that
 * waits for background work, or that a stop hook sends back to work, ends several times under one id.
 */
export function turnIdentity(
  { event, stopHookActive }: Payload,
  { kind, text }: Meaning,
  id: string | null,
): readonly string[] | null {
  if (event?.toLowerCase() !== 'stop' || id === null) return null;
  return ['stop', id, kind, stopHookActive ? 'again' : 'first', sha256(text ?? '')];
}

/** The identity of an event about one tool call. */
export function toolIdentity({ event, toolUseId }: Payload): readonly string[] | null {
  return event === null || toolUseId === null ? null : [event.toLowerCase(), toolUseId];
}

/**
 * What stays the same of an event that an agent without ids reports by the hooks of several files, in other spellings,
 * with other times and directories: for `likeness` of a dialect.
 */
export function sameContent(
  { event, stopHookActive, notificationType, tool, toolInput, agentId }: Payload,
  { kind, text, reason }: Meaning,
): readonly string[] {
  return [
    kind,
    kind === 'activity' ? (event ?? '').toLowerCase() : '',
    stopHookActive ? 'again' : 'first',
    notificationType ?? '',
    (tool ?? '').toLowerCase(),
    toolInput === undefined ? '' : sha256(inputText(toolInput)),
    // Copilot CLI has a subagent's text in one of its spellings only.
    kind === 'subagent.done' ? (agentId ?? '') : sha256(text ?? ''),
    reason ?? '',
  ];
}

/** The input of a tool comes as an object or as its JSON. */
function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

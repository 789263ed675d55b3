import type { RegisteredEvent } from '../../core/registration.ts';

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

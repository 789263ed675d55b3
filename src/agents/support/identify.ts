import type { HookFacts } from '../../core/facts.ts';
import { type DialectName, dialectNames } from '../../core/hook-event.ts';
import type { Wire } from './payload.ts';

/**
 * Returns the agent that sent a payload; the strongest evidence comes first. `CLAUDE_PROJECT_DIR` is not evidence: droid,
 * Gemini and Qwen set it, too.
 *
 * @param wire null when the payload could not be read
 */
export function identifyAgent(wire: Wire | null, facts: HookFacts): DialectName {
  const named = namedAgent(facts);
  // droid imports Claude Code's hooks, Cursor and Copilot run them: a command registered there proves nothing.
  if (named !== null && named !== 'claude') return named;
  return (
    byOwnVariable(facts) ??
    byTranscript(wire) ??
    named ??
    byInheritedVariable(facts) ??
    byShape(wire) ??
    'unknown'
  );
}

function namedAgent({ agent }: HookFacts): DialectName | null {
  return dialectNames.find((name) => name === agent?.toLowerCase()) ?? null;
}

function byOwnVariable(facts: HookFacts): DialectName | null {
  if (facts.droid_project_dir !== undefined || facts.factory_project_dir !== undefined) {
    return 'droid';
  }
  // Qwen sets the variable of Gemini as well.
  if (facts.qwen_project_dir !== undefined) return 'qwen';
  if (facts.gemini_project_dir !== undefined) return 'gemini';
  return null;
}

const homes: readonly (readonly [RegExp, DialectName])[] = [
  [/[\\/]\.factory[\\/]/, 'droid'],
  [/[\\/]\.claude[\\/]/, 'claude'],
  [/[\\/]\.codex[\\/]/, 'codex'],
  [/[\\/]\.qwen[\\/]/, 'qwen'],
  [/[\\/]\.gemini[\\/]/, 'gemini'],
  [/[\\/]\.copilot[\\/]/, 'copilot'],
];

function byTranscript(wire: Wire | null): DialectName | null {
  const path = wire?.transcript_path ?? wire?.transcriptPath ?? '';
  return homes.find(([home]) => home.test(path))?.[1] ?? null;
}

/** Comes late because agents that are started inside a Claude Code shell inherit these. */
function byInheritedVariable({ claudecode, ai_agent }: HookFacts): DialectName | null {
  return claudecode !== undefined || ai_agent?.startsWith('claude-code') === true ? 'claude' : null;
}

function byShape(wire: Wire | null): DialectName | null {
  if (wire === null) return null;
  if (wire['thread-id'] !== undefined) return 'codex';
  if (wire.conversation_id !== undefined || wire.cursor_version !== undefined) return 'cursor';
  if (wire.sessionId !== undefined && typeof wire.timestamp === 'number') return 'copilot';
  // The hooks of a repository's `.claude/settings.json` are given Claude Code's spelling, and a time, which Claude Code never sends:
  // https://docs.github.com/en/copilot/reference/hooks-reference
  if (wire.session_id !== undefined && typeof wire.timestamp === 'string') return 'copilot';
  if (wire.type !== undefined && wire.properties !== undefined) return 'opencode';
  if (/^(?:off|spec|auto-.*)$/.test(wire.permission_mode ?? wire.permissionMode ?? '')) {
    return 'droid';
  }
  return null;
}

/**
 * The last part of a directory, for people. A path that begins with a slash is a POSIX one, where a backslash is part
 * of the name; in all others both separate.
 *
 * @returns null for a root, which has no name
 */
export function projectName(directory: string | null): string | null {
  if (directory === null) return null;
  const parts = directory.split(directory.startsWith('/') ? '/' : /[\\/]/);
  const last = parts.findLast((part) => part !== '') ?? '';
  return last === '' || /^[A-Za-z]:$/.test(last) ? null : last;
}

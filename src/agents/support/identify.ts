import type { HookFacts } from '../../core/facts.ts';
import type { DialectName } from '../../core/hook-event.ts';
import type { Dialect } from './dialect.ts';
import type { Wire } from './payload.ts';

/** What identifies an agent. */
type Identifiable = Pick<Dialect, 'agent' | 'evidence'>;

/**
 * Returns the agent that sent a payload; the strongest evidence comes first. `CLAUDE_PROJECT_DIR` is not evidence: droid,
 * Gemini and Qwen set it, too.
 *
 * @param wire null when the payload could not be read
 */
export function identifyAgent(
  wire: Wire | null,
  facts: HookFacts,
  agents: readonly Identifiable[],
): DialectName {
  const word = facts.agent?.toLowerCase();
  const named = agents.find(({ agent }) => agent === word);
  if (named !== undefined && named.evidence.isRunByOthers !== true) return named.agent;
  const found =
    agents.find(({ evidence }) => evidence.variable?.(facts)) ??
    byTranscript(wire, agents) ??
    named ??
    // Late, because agents that are started inside a shell of it inherit the variable.
    agents.find(({ evidence }) => evidence.inherited?.(facts)) ??
    (wire === null ? undefined : byShape(wire, agents));
  return found?.agent ?? 'unknown';
}

function byTranscript(
  wire: Wire | null,
  agents: readonly Identifiable[],
): Identifiable | undefined {
  const path = (wire?.transcript_path ?? wire?.transcriptPath ?? '').replaceAll('\\', '/');
  return agents.find(({ evidence: { home } }) => home !== undefined && path.includes(`/${home}/`));
}

function byShape(wire: Wire, agents: readonly Identifiable[]): Identifiable | undefined {
  return (
    agents.find(({ evidence }) => evidence.fields?.(wire)) ??
    agents.find(({ evidence }) => evidence.values?.(wire))
  );
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

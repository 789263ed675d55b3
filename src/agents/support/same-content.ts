import { sha256 } from '../../platform/crypto.ts';
import type { Meaning } from './vocabulary.ts';
import type { Payload } from './payload.ts';

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

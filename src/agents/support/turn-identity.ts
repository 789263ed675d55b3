import type { Meaning } from './dialect.ts';
import type { Payload } from './payload.ts';
import { sha256 } from './sha256.ts';

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

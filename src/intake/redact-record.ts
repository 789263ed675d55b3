import { decodeText, firstJsonValue } from '../agents/support/json-text.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { Redactor } from '../core/redact.ts';

/**
 * The same event without what looks like a secret: in its texts, and in the payload it was made from. Its id, its session,
 * what makes it a repeat and its directory stay, since decisions depend on them.
 */
export function redactRecord({ event, payload }: HookRecord, redactor: Redactor): HookRecord {
  const text = (foreign: string | null): string | null =>
    foreign === null ? null : redactor.text(foreign);
  return {
    event: {
      ...event,
      message: text(event.message),
      title: text(event.title),
      reason: text(event.reason),
      subject: text(event.subject),
      project: text(event.project),
    },
    payload: redactPayload(payload, redactor),
  };
}

function redactPayload(payload: Uint8Array, { text, value }: Redactor): Uint8Array {
  const decoded = decodeText(payload);
  const document = parse(firstJsonValue(decoded) ?? decoded);
  return Buffer.from(document === undefined ? text(decoded) : JSON.stringify(value(document)));
}

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

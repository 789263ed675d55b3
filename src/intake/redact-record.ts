import { parseJson } from '../platform/json.ts';
import { decodeText, firstJsonValue } from '../agents/support/json-text.ts';
import { cleanRequest } from '../core/asked.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { Redactor } from '../text/redact.ts';

/**
 * Most characters of a payload to redact and keep; the rest is dropped. Redaction takes some 150 ms per million
 * characters, which blocks the daemon.
 */
const MOST_CHARACTERS = 262_144;
/** The cut is made at a space within this many characters, so that a secret is dropped whole instead of split. */
const LONGEST_WORD = 4_096;
const DROPPED = '[redacted:too-long]';

/**
 * Returns the event without likely secrets in its texts and its payload. Its id, session, deduplication keys and
 * directory stay, because decisions depend on them.
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
      asked: cleanRequest(event.asked, redactor.text),
      subject: text(event.subject),
      project: text(event.project),
      ...(event.changes !== undefined && {
        changes: event.changes.map((one) => ({ ...one, path: redactor.text(one.path) })),
      }),
    },
    payload: redactPayload(payload, redactor),
  };
}

function redactPayload(payload: Uint8Array, redactor: Redactor): Uint8Array {
  const { text, value } = redactor;
  const document = parseJson(firstJsonValue(payload));
  const budget = { left: MOST_CHARACTERS };
  return Buffer.from(
    document === undefined
      ? text(within(decodeText(payload), budget))
      : JSON.stringify(value(boundTexts(document, budget))),
  );
}

/** A copy of parsed JSON whose texts and keys together fit the budget of characters. */
function boundTexts(value: unknown, budget: { left: number }, depth = 0): unknown {
  if (typeof value === 'string') return within(value, budget);
  if (typeof value !== 'object' || value === null) return value;
  // Deeper nesting is dropped by the redactor.
  if (depth > 100) return null;
  if (Array.isArray(value)) {
    const redacted: unknown[] = [];
    for (const entry of value) {
      if (budget.left <= 0) return [...redacted, DROPPED];
      redacted.push(boundTexts(entry, budget, depth + 1));
    }
    return redacted;
  }
  const redacted: [string, unknown][] = [];
  for (const [key, entry] of Object.entries(value)) {
    if (budget.left <= 0) break;
    redacted.push([within(key, budget), boundTexts(entry, budget, depth + 1)]);
  }
  return Object.fromEntries(redacted);
}

function within(text: string, budget: { left: number }): string {
  // Even an empty value costs a step.
  const most = Math.max(0, budget.left);
  budget.left -= text.length + 1;
  if (text.length <= most) return text;
  const tail = text.slice(Math.max(0, most - LONGEST_WORD), most);
  const blank = tail.search(/\s\S*$/);
  const end = most - tail.length + Math.max(0, blank);
  return `${text.slice(0, end)}${DROPPED}`;
}

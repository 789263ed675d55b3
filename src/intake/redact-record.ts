import { decodeText, firstJsonValue } from '../agents/support/json-text.ts';
import { cleanRequest } from '../core/asked.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { Redactor } from '../text/redact.ts';

/**
 * Redaction takes some 150 ms for each million characters, and the daemon does nothing else meanwhile: so many of a payload are
 * looked at and kept, and what comes behind them is dropped.
 */
const MOST_CHARACTERS = 262_144;
/** A secret that the cut would go through is dropped as a whole: the cut is made at a blank, searched for within this many. */
const LONGEST_WORD = 4_096;
const DROPPED = '[redacted:too-long]';

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
  const document = parse(firstJsonValue(payload));
  const budget = { left: MOST_CHARACTERS };
  return Buffer.from(
    document === undefined
      ? text(within(decodeText(payload), budget))
      : JSON.stringify(value(boundTexts(document, budget))),
  );
}

/** A copy of parsed JSON whose texts and keys hold as many characters together as the budget allows. */
function boundTexts(value: unknown, budget: { left: number }, depth = 0): unknown {
  if (typeof value === 'string') return within(value, budget);
  if (typeof value !== 'object' || value === null) return value;
  // Deeper nesting is dropped by the redactor.
  if (depth > 100) return null;
  if (Array.isArray(value)) {
    const kept: unknown[] = [];
    for (const entry of value) {
      if (budget.left <= 0) return [...kept, DROPPED];
      kept.push(boundTexts(entry, budget, depth + 1));
    }
    return kept;
  }
  const kept: [string, unknown][] = [];
  for (const [key, entry] of Object.entries(value)) {
    if (budget.left <= 0) break;
    kept.push([within(key, budget), boundTexts(entry, budget, depth + 1)]);
  }
  return Object.fromEntries(kept);
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

/** Undefined for what is no JSON. */
function parse(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

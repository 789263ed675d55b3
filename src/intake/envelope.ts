import { type FactKey, type HookFacts, factKeys } from '../core/facts.ts';

/** A parsed file of the spool. */
export interface Envelope {
  readonly facts: HookFacts;
  readonly payload: Buffer;
  /** False while the end marker is missing: the hook still writes, or was stopped. */
  readonly complete: boolean;
}

/** `empty`: no byte. `truncated`: it ends inside the header. `bad-envelope`: not written by a hook. */
export interface EnvelopeProblem {
  readonly problem: 'empty' | 'truncated' | 'bad-envelope';
  readonly detail: string;
}

const FIRST_LINE = Buffer.from('hookbell 1\n');
/** The blank line after the header. */
const HEADER_END = Buffer.from('\n\n');
const MAX_HEADER_LINES = 64;
const MAX_HEADER_BYTES = 128 * 1024;
/** Hooks omit longer values. */
const MAX_VALUE = 1_024;

/** True for names of envelopes, which are the ids of their events: a UUID, with or without dashes. */
export function isEnvelopeName(name: string): boolean {
  return /^[0-9a-z-]{16,64}$/.test(name);
}

/** The last line of a complete envelope, with the line feed that ends the payload. */
export function endMarker(name: string): Buffer {
  return Buffer.from(`\nhookbell-end ${name}\n`);
}

/**
 * Takes an envelope apart. Its format:
 *
 * ```text
 * hookbell 1
 * key=value          any number of facts, up to 64 lines
 *                    a blank line
 * the payload, exactly as the hook received it
 * hookbell-end NAME  the name of the file
 * ```
 *
 * The payload is hostile and may hold lines that look like any of these: only the very last line is the marker.
 */
export function parseEnvelope(name: string, bytes: Buffer): Envelope | EnvelopeProblem {
  if (bytes.length === 0) return { problem: 'empty', detail: 'The file has no content' };
  const compared = Math.min(bytes.length, FIRST_LINE.length);
  if (!bytes.subarray(0, compared).equals(FIRST_LINE.subarray(0, compared))) {
    return bad('The first line is not "hookbell 1"');
  }
  // The line feed of the first line may be the first one of the blank line.
  const headerEnd = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(HEADER_END, FIRST_LINE.length - 1);
  if (headerEnd === -1) {
    if (bytes.length >= MAX_HEADER_BYTES) return bad('The header has no end');
    return { problem: 'truncated', detail: 'The file ends inside its header' };
  }
  const facts = parseFacts(bytes.toString('utf8', FIRST_LINE.length, headerEnd));
  if (typeof facts === 'string') return bad(facts);
  return { facts, ...splitPayload(bytes.subarray(headerEnd + HEADER_END.length), endMarker(name)) };
}

function bad(detail: string): EnvelopeProblem {
  return { problem: 'bad-envelope', detail };
}

/** Known keys only, and the first of each: a second one could be forged. Returns the reason if invalid. */
function parseFacts(header: string): HookFacts | string {
  const lines = header === '' ? [] : header.split('\n');
  if (lines.length > MAX_HEADER_LINES) return `The header has more than ${MAX_HEADER_LINES} lines`;
  const headers = new Map<FactKey, string>();
  for (const line of lines) {
    const equals = line.indexOf('=');
    if (equals < 1) return 'A header line is not "key=value"';
    const key = line.slice(0, equals);
    if (isFactKey(key) && !headers.has(key)) headers.set(key, line.slice(equals + 1));
  }
  return Object.fromEntries([...headers].filter(([, value]) => isHarmless(value)));
}

function isFactKey(key: string): key is FactKey {
  return factKeys.some((compared) => compared === key);
}

function isHarmless(value: string): boolean {
  return value !== '' && value.length <= MAX_VALUE && !/\p{Cc}/u.test(value);
}

function splitPayload(rest: Buffer, marker: Buffer): { payload: Buffer; complete: boolean } {
  if (endsWith(rest, marker)) {
    return { payload: rest.subarray(0, rest.length - marker.length), complete: true };
  }
  // A hook that was stopped inside the marker has written its whole payload. A single line feed proves nothing.
  for (let length = marker.length - 1; length > 1; length -= 1) {
    if (endsWith(rest, marker.subarray(0, length))) {
      return { payload: rest.subarray(0, rest.length - length), complete: false };
    }
  }
  return { payload: rest, complete: false };
}

function endsWith(bytes: Buffer, end: Buffer): boolean {
  return bytes.length >= end.length && bytes.subarray(bytes.length - end.length).equals(end);
}

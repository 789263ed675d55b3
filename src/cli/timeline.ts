import type { EventView } from '../control/contract.ts';
import { UsageError } from '../platform/errors.ts';
import { isJsonObject, parseJson } from '../platform/json.ts';
import type { CommandContext } from './context.ts';

const PAGE = 200;

/** Returns the newest `limit` stored events with their payloads, oldest first. */
export async function recordedEvents(
  { ask }: CommandContext,
  limit: number,
): Promise<readonly EventView[]> {
  const found: EventView[] = [];
  let before: string | undefined;
  while (found.length < limit) {
    const page = await ask('GET /v1/history', {
      query: { limit: String(Math.min(PAGE, limit - found.length)), before },
    });
    for (const { eventId } of page) {
      found.push(await ask('GET /v1/events', { part: eventId }));
    }
    before = page.at(-1)?.eventId;
    if (before === undefined) break;
  }
  return found.toReversed();
}

/** One event of a timeline: a line of the file that `replay` reads and `history --export` writes. */
export interface TimelineEntry {
  /** Seconds: from the beginning of the timeline, or Unix time. */
  readonly at: number;
  readonly agent: string | null;
  /** The agent's name of the event, if its payload has none. */
  readonly event: string | null;
  /** Environment of the hook. */
  readonly env: Readonly<Record<string, unknown>>;
  readonly payload: unknown;
  /** The id of a recorded event; other events get a new one. */
  readonly id: string | null;
}

/**
 * Reads a timeline: JSON lines `{"at": seconds, "agent": name, "env": {…}, "payload": {…}}`, of which only `at` and
 * `payload` are required. Sorted by time.
 *
 * @throws UsageError that names the line
 */
export function parseTimeline(text: string): readonly TimelineEntry[] {
  return text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => parseEntry(line, number))
    .toSorted((left, right) => left.at - right.at);
}

function parseEntry(line: string, number: number): TimelineEntry {
  const value = parseJson(line);
  if (!isJsonObject(value)) throw malformed(number, 'is not a JSON object');
  const { at, agent, event, env, payload } = value;
  if (typeof at !== 'number' || !Number.isFinite(at) || at < 0) {
    throw malformed(number, 'has no "at", expected a number of seconds');
  }
  if (payload === undefined) throw malformed(number, 'has no "payload"');
  return {
    at,
    agent: typeof agent === 'string' ? agent : null,
    event: typeof event === 'string' ? event : null,
    env: isJsonObject(env) ? env : {},
    payload,
    id: null,
  };
}

function malformed(number: number, problem: string): UsageError {
  return new UsageError(`Cannot read the timeline: line ${number} ${problem}`, {
    hint: 'A line looks like {"at": 0, "agent": "claude", "payload": {"hook_event_name": "Stop"}}',
  });
}

/** Converts a recorded event to an entry; returns null if its payload is not a JSON document. */
export function entryOf({ eventId: id, at, facts, agent, event, ...stored }: EventView) {
  const payload = parseJson(stored.payload);
  if (payload === undefined) return null;
  const pairs = Object.entries(facts).map(([key, text]) => [key.toUpperCase(), text] as const);
  return { at: Date.parse(at) / 1_000, agent, event, env: Object.fromEntries(pairs), payload, id };
}

/** Formats an entry as a line of the file. */
export function formatEntry({ at, agent, event, env, payload }: TimelineEntry): string {
  return JSON.stringify({ at, agent, event, env, payload });
}

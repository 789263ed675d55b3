import { z } from 'zod';

import { parseJson } from '../platform/json.ts';
import { FAILED_TURN } from '../core/agent/witness.ts';
import { askedSchema } from '../core/asked.ts';
import type { AgentName, HookEvent, HookRecord } from '../core/hook-event.ts';
import { cutText } from '../text/sanitize.ts';
import { decodePayload } from './decode.ts';
import { dialects } from './registry.ts';
import type { Dialect } from './support/dialect.ts';
import { readPayload, Wire } from './support/payload.ts';
import {
  answerInTranscript,
  type TranscriptAnswer,
  transcriptLines,
  type TranscriptReading,
} from './support/transcript-lines.ts';

export interface WantedTranscript {
  readonly path: string;
  /** The agent may write it a moment after the hook has begun. */
  readonly isLate: boolean;
}

/** The transcript that may contain what the payload of this event omits; null: not needed, or not named. */
export function wantedTranscript(event: HookEvent): WantedTranscript | null {
  // Paths of another machine mean nothing here.
  if (event.machine !== null || event.transcriptPath === null) return null;
  const reading = readingFor(event);
  if (reading?.helps(event) !== true) return null;
  return { path: event.transcriptPath, isLate: reading.isLate === true };
}

/**
 * Returns the event with additions from the end of its transcript, such as the agent's last words; the same object if
 * it adds nothing. Never throws, regardless of the transcript's content.
 *
 * @param tail the last bytes of the transcript, as text
 */
export function completeEvent({ event, payload }: HookRecord, tail: string): HookEvent {
  const reading = readingFor(event);
  if (reading === null) return event;
  const wire = Wire.safeParse(parseJson(Buffer.from(payload).toString('utf8'))).data ?? null;
  if (wire === null) return event;
  return reading.complete(event, readPayload(wire, event.facts), transcriptLines(tail));
}

/** Longer texts are cut before they are relayed, UTF-16 units: a batch holds up to 256 of them. */
const MOST_RELAYED = 8_192;

const ChangedKind = z.enum(['turn.interrupted', 'needs.permission']);

/** A transcript's additions to an event, limited to the fields that it may change. */
export const TranscriptAddition = z.object({
  message: z.string().max(MOST_RELAYED).nullable(),
  tool: z.string().max(256).nullable(),
  asked: askedSchema.extend({ text: z.string().max(MOST_RELAYED) }).nullable(),
  /** The turn that the payload reports as done has failed. */
  failed: z.boolean(),
  /** What the payload reports as done is something else: a turn that the person interrupted, or a plan to approve. */
  kind: ChangedKind.optional().catch(undefined),
});
export type TranscriptAddition = z.output<typeof TranscriptAddition>;

/**
 * The transcript's additions to an event, for a machine that has only the payload.
 *
 * @returns null if it added nothing
 */
export function transcriptAddition({ event, payload }: HookRecord): TranscriptAddition | null {
  const reading = readingFor(event);
  if (reading === null || event.machine !== null) return null;
  const decoded = decodePayload({ payload, facts: event.facts });
  if (!decoded.ok) return null;
  const { message, tool, asked } = decoded.event;
  const failed = event.failed && !decoded.event.failed;
  const kind =
    event.kind === decoded.event.kind ? undefined : ChangedKind.safeParse(event.kind).data;
  const isSame = event.message === message && event.tool === tool && !failed && !kind;
  if (isSame && (event.asked === null) === (asked === null)) return null;
  return {
    message: event.message === null ? null : cutText(event.message, MOST_RELAYED),
    tool: event.tool,
    asked: event.asked,
    failed,
    ...(kind !== undefined && { kind }),
  };
}

/**
 * The event of another machine with the additions of its transcript there; the same object if a transcript of that
 * agent cannot add anything, so that a paired machine cannot change other events.
 */
export function withAddition(event: HookEvent, addition: TranscriptAddition): HookEvent {
  if (readingFor(event)?.helps(event) !== true) return event;
  const { message, tool, asked, failed, kind } = addition;
  const isEnd = event.kind === 'turn.done';
  return {
    ...event,
    message: message ?? event.message,
    tool: event.tool ?? tool,
    asked: event.asked ?? asked,
    ...(isEnd && kind !== undefined && { kind }),
    ...(isEnd && failed && { kind: 'turn.failed' as const, failed: true }),
    ...(event.kind === 'session.end' && failed && { failed: true }),
  };
}

/** The agents whose failed turns only their transcripts show. */
export const agentsFailingSilently: readonly AgentName[] = Object.values(dialects)
  .filter(({ transcript }: Dialect) => transcript?.failure !== undefined)
  .map(({ agent }) => agent);

/**
 * The payload of a failed turn that no hook reported, as a hook would send it.
 *
 * @param event of the session, which names the transcript
 * @param since a turn that failed before is not meant, Unix ms
 * @param tail the last bytes of the transcript, as text
 * @returns null if the latest turn has not failed
 */
export function failureIn(
  event: HookEvent,
  { since, tail }: { readonly since: number; readonly tail: string },
): { readonly turn: string; readonly at: number; readonly payload: Uint8Array } | null {
  const failure = readingFor(event)?.failure?.(transcriptLines(tail)) ?? null;
  if (failure === null || failure.at < since) return null;
  const { turn, at, message } = failure;
  const payload = {
    hook_event_name: FAILED_TURN,
    session_id: event.sessionId,
    transcript_path: event.transcriptPath,
    cwd: event.cwd,
    turn_id: turn,
    error: { message },
  };
  return { turn, at, payload: new TextEncoder().encode(JSON.stringify(payload)) };
}

/**
 * Returns whether an open request was answered, according to the end of the transcript that its event names.
 *
 * @param tail the last bytes of the transcript, as text
 * @returns null if it is still open or unknown
 */
export function answerIn(event: HookEvent, tail: string): TranscriptAnswer | null {
  return (readingFor(event)?.answer ?? answerInTranscript)(event, transcriptLines(tail));
}

function readingFor({ agent, isUnproved }: HookEvent): TranscriptReading | null {
  if (agent === 'service' || isUnproved === true) return null;
  const dialect: Dialect = dialects[agent];
  return dialect.transcript ?? null;
}

import { z } from 'zod';

import { askedSchema } from '../core/asked.ts';
import type { HookEvent, HookRecord } from '../core/hook-event.ts';
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

// oxlint-disable-next-line no-restricted-imports -- this is no dialect: it reads a payload anew

// oxlint-disable-next-line no-restricted-imports -- this is no dialect: it chooses one

/** The transcript that may contain what the payload of this event omits; null: not needed, or not named. */
export function wantedTranscript(event: HookEvent): string | null {
  // Paths of another machine mean nothing here.
  if (event.machine !== null || event.transcriptPath === null) return null;
  return readingFor(event)?.helps(event) === true ? event.transcriptPath : null;
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
  const wire = wireOf(payload);
  if (wire === null) return event;
  return reading.complete(event, readPayload(wire, event.facts), transcriptLines(tail));
}

/** Longer texts are cut before they are relayed, UTF-16 units: a batch holds up to 256 of them. */
const MOST_RELAYED = 8_192;

/** A transcript's additions to an event, limited to the fields that it may change. */
export const TranscriptAddition = z.object({
  message: z.string().max(MOST_RELAYED).nullable(),
  tool: z.string().max(256).nullable(),
  asked: askedSchema.extend({ text: z.string().max(MOST_RELAYED) }).nullable(),
  /** The turn that the payload reports as done has failed. */
  failed: z.boolean(),
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
  const isSame = event.message === message && event.tool === tool && !failed;
  if (isSame && (event.asked === null) === (asked === null)) return null;
  return {
    message: event.message === null ? null : cutText(event.message, MOST_RELAYED),
    tool: event.tool,
    asked: event.asked,
    failed,
  };
}

/**
 * The event of another machine with the additions of its transcript there; the same object if a transcript of that
 * agent cannot add anything, so that a paired machine cannot change other events.
 */
export function withAddition(event: HookEvent, addition: TranscriptAddition): HookEvent {
  if (readingFor(event)?.helps(event) !== true) return event;
  const { message, tool, asked, failed } = addition;
  const hasFailed = failed && event.kind === 'turn.done';
  return {
    ...event,
    message: message ?? event.message,
    tool: event.tool ?? tool,
    asked: event.asked ?? asked,
    ...(hasFailed && { kind: 'turn.failed' as const, failed: true }),
  };
}

/**
 * Returns whether an open request was answered, according to the end of the transcript that its event names.
 *
 * @param tail the last bytes of the transcript, as text
 * @returns null if it is still open or unknown
 */
export function answerIn(event: HookEvent, tail: string): TranscriptAnswer | null {
  return answerInTranscript(event, transcriptLines(tail));
}

function readingFor({ agent }: HookEvent): TranscriptReading | null {
  if (agent === 'service') return null;
  const dialect: Dialect = dialects[agent];
  return dialect.transcript ?? null;
}

function wireOf(payload: Uint8Array): Wire | null {
  try {
    return Wire.parse(JSON.parse(Buffer.from(payload).toString('utf8')));
  } catch {
    return null;
  }
}

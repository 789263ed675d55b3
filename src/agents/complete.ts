import type { HookEvent, HookRecord } from '../core/hook-event.ts';
// oxlint-disable-next-line no-restricted-imports -- this is no dialect: it chooses one
import { dialects } from './registry.ts';
import type { Dialect } from './support/dialect.ts';
import { readPayload } from './support/payload.ts';
import type { TranscriptAnswer } from './support/transcript-answer.ts';
import { answerInTranscript } from './support/transcript-answer.ts';
import type { TranscriptReading } from './support/transcript-lines.ts';
import { transcriptLines } from './support/transcript-lines.ts';
import { Wire } from './support/wire.ts';

/** The transcript that may say what the payload of this event leaves out; null: none is needed, or none is named. */
export function wantedTranscript(event: HookEvent): string | null {
  // Paths of another machine mean nothing here.
  if (event.machine !== null || event.transcriptPath === null) return null;
  return readingFor(event)?.helps(event) === true ? event.transcriptPath : null;
}

/**
 * The event with what the end of its transcript adds, such as the agent's last words; the same object where it adds
 * nothing. Never throws, whatever the transcript holds.
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

/**
 * Whether an open request was answered, by the end of the transcript its event names.
 *
 * @param tail the last bytes of the transcript, as text
 * @returns null where it is still open, or the transcript does not say
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

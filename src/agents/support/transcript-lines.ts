import { z } from 'zod';

import type { HookEvent } from '../../core/hook-event.ts';
import { isJsonObject } from '../../core/json-object.ts';
import type { Payload } from './payload.ts';

/** One line of a transcript (JSON Lines). */
export type TranscriptLine = Readonly<Record<string, unknown>>;

/** What an agent's payloads leave out and its own record of the session has. */
export interface TranscriptReading {
  /** Whether the end of the transcript may add something to this event. */
  readonly helps: (event: HookEvent) => boolean;
  /**
   * The event with what the transcript adds; the same object where it adds nothing.
   *
   * @param lines the last lines of the transcript, oldest first; more of the session may stand before them
   */
  readonly complete: (
    event: HookEvent,
    payload: Payload,
    lines: readonly TranscriptLine[],
  ) => HookEvent;
}

/** The objects in the end of a transcript. Half lines at its border are none, and neither is anything else. */
export function transcriptLines(tail: string): readonly TranscriptLine[] {
  return tail.split('\n').flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line);
      return isJsonObject(entry) ? [entry] : [];
    } catch {
      return [];
    }
  });
}

const CopilotMessage = z.object({
  type: z.literal('assistant.message'),
  data: z.object({ content: z.string() }),
});

/** Copilot CLI: `events.jsonl` of the session, whose `agentStop` has no text. */
export const copilotTranscript: TranscriptReading = {
  helps: ({ kind, message }) => kind === 'turn.done' && message === null,
  complete(event, _payload, lines) {
    const start = lines.findLastIndex(({ type }) => type === 'user.message');
    const texts = lines.slice(start + 1).flatMap((line) => {
      const content = CopilotMessage.safeParse(line).data?.data.content.trim() ?? '';
      return content === '' ? [] : [content];
    });
    const message = texts.at(-1);
    return message === undefined ? event : { ...event, message };
  },
};

import { z } from 'zod';

import { inWords } from '../support/readings.ts';
import { linesLike, type TranscriptReading } from '../support/transcript-lines.ts';

/** hookbell's text for a turn without an answer, whose payload is the same whether it failed or was interrupted. */
export const WITHOUT_ANSWER = 'It stopped without an answer';

/*
 * Lines of the transcript of Gemini CLI 0.61, written before the hook runs:
 *   {"type":"user","content":[{"text":"Publish it"}]}
 *   {"type":"gemini","content":"It is published"}
 *   {"type":"error","content":"[API Error: {\"error\":{\"code\":400,\"message\":…}}]"}
 *   {"type":"info","content":"Request cancelled."}
 * Lines that change others have no type.
 */
const Line = z.object({ type: z.enum(['user', 'gemini', 'error', 'info']), content: z.unknown() });
type Line = z.output<typeof Line>;

/** Tells failed and interrupted turns apart: `AfterAgent` reports both as finished. */
export const geminiTranscript: TranscriptReading = {
  helps: ({ kind, message }) => kind === 'turn.done' && message === WITHOUT_ANSWER,
  complete(event, _payload, lines) {
    const found = linesLike(Line, lines);
    const turn = found.slice(found.findLastIndex(({ type }) => type === 'user') + 1);
    const error = turn.findLast(({ type }) => type === 'error');
    if (error !== undefined) {
      return { ...event, kind: 'turn.failed', failed: true, message: errorText(error) };
    }
    const isInterrupted = turn.some(
      ({ type, content }) =>
        type === 'info' && typeof content === 'string' && /^Request cancelled\b/.test(content),
    );
    return isInterrupted ? { ...event, kind: 'turn.interrupted', message: null } : event;
  },
};

/** Without the brackets around it and the JSON in it. */
function errorText({ content }: Line): string | null {
  if (typeof content !== 'string') return null;
  return inWords(/^\[(.*)\]$/s.exec(content.trim())?.[1] ?? content);
}

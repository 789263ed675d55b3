import { z } from 'zod';

import { askedOf } from '../support/read-asked.ts';
import { inWords } from '../support/readings.ts';
import {
  linesLike,
  type TranscriptLine,
  type TranscriptReading,
  type TurnFailure,
} from '../support/transcript-lines.ts';

/*
 * Lines of the transcript of Codex 0.169, each {"timestamp":…,"type":"event_msg","payload":…} with one of these payloads:
 *   {"type":"task_started","turn_id":…}
 *   {"type":"item_completed","turn_id":…,"item":{"type":"Plan","text":"# Plan …"}}
 *   {"type":"task_complete","turn_id":…,"last_agent_message":…,"error":{"message":"…"}}
 *   {"type":"turn_aborted","turn_id":…,"reason":"interrupted"}
 * A turn with an error runs no hook.
 */
const Line = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  payload: z.union([
    z.object({
      type: z.literal('item_completed'),
      turn_id: z.string(),
      item: z.object({ type: z.literal('Plan'), text: z.string().min(1) }),
    }),
    z.object({
      type: z.literal('task_complete'),
      turn_id: z.string(),
      error: z.object({ message: z.string().min(1) }).nullish(),
    }),
    z.object({ type: z.enum(['task_started', 'turn_aborted']), turn_id: z.string() }),
  ]),
});

export const codexTranscript: TranscriptReading = {
  // The last words do not contain a plan. A session that ends in the turn that failed, such as `codex exec`, reports only its end.
  helps: ({ kind, message, subagent }) =>
    !subagent && message === null && (kind === 'turn.done' || kind === 'session.end'),
  complete(event, { turnId }, lines) {
    if (event.kind === 'session.end') {
      const failure = failedTurn(lines);
      if (failure === null) return event;
      return { ...event, failed: true, reason: null, message: failure.message };
    }
    const plan = linesLike(Line, lines)
      .flatMap(({ payload }) =>
        payload.type === 'item_completed' && payload.turn_id === turnId ? [payload.item.text] : [],
      )
      .at(-1);
    if (plan === undefined) return event;
    const asked = askedOf('ExitPlanMode', { plan }, event.cwd);
    return { ...event, kind: 'needs.permission', asked, subject: turnId };
  },
  failure: failedTurn,
};

function failedTurn(lines: readonly TranscriptLine[]): TurnFailure | null {
  const last = linesLike(Line, lines)
    .filter(({ payload }) => payload.type !== 'item_completed')
    .at(-1);
  if (last?.payload.type !== 'task_complete' || last.payload.error == null) return null;
  const { turn_id: turn, error } = last.payload;
  return { turn, at: Date.parse(last.timestamp), message: inWords(error.message) };
}

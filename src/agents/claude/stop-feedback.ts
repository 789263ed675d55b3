import { z } from 'zod';

import { parseJson } from '../../platform/json.ts';

/** What Claude Code puts before the words of a hook that continues a session. */
const FEEDBACK = 'Stop hook feedback:\n';

/** Words of a hook in a transcript of Claude Code. */
const FeedbackLine = z.object({
  type: z.literal('user'),
  timestamp: z.iso.datetime({ offset: true }),
  message: z.object({ content: z.string() }),
});

/**
 * Whether a transcript of Claude Code has exactly these words from a hook.
 *
 * @param tail its last lines
 * @param since Unix ms
 */
export function hasFeedback(tail: string, text: string, since: number): boolean {
  return tail.split('\n').some((line) => {
    if (!line.includes('Stop hook feedback')) return false;
    const { data } = FeedbackLine.safeParse(parseJson(line));
    if (data === undefined || Date.parse(data.timestamp) < since) return false;
    return data.message.content === `${FEEDBACK}${text}`;
  });
}

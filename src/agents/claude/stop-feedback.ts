import { z } from 'zod';

import { parseJson } from '../../platform/json.ts';

/** What Claude Code puts before the words of a hook that continues a session. */
const FEEDBACK = 'Stop hook feedback:\n';

/** A line of a transcript of Claude Code: the words of a hook, or what the model said. */
const Line = z.object({
  type: z.enum(['user', 'assistant']),
  timestamp: z.iso.datetime({ offset: true }),
  isSidechain: z.literal(false).optional(),
  isApiErrorMessage: z.literal(false).optional(),
  message: z.object({ content: z.unknown() }),
});

/**
 * Whether a transcript of Claude Code has exactly these words from a hook, and the model has said something since. The words are
 * written there before the model is asked, which may fail.
 *
 * @param tail its last lines
 * @param since Unix ms
 */
export function tookFeedback(tail: string, text: string, since: number): boolean {
  const at = tail.indexOf('Stop hook feedback');
  if (at === -1) return false;
  const lines = tail.slice(tail.lastIndexOf('\n', at) + 1).split('\n');
  let isThere = false;
  for (const line of lines) {
    const { data } = Line.safeParse(parseJson(line));
    if (data === undefined || Date.parse(data.timestamp) < since) continue;
    if (data.type === 'assistant' && isThere) return true;
    if (data.type === 'user' && data.message.content === `${FEEDBACK}${text}`) isThere = true;
  }
  return false;
}

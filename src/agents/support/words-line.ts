import { z } from 'zod';

import type { AgentName } from '../../core/hook-event.ts';
import { parseJson } from '../../platform/json.ts';

/** A pipe takes so much without a reader, with a reserve; longer words are refused instead of being cut. Bytes. */
const MOST_BYTES = 60_000;
/** What Claude Code puts before the words of a hook that continues a session. */
const FEEDBACK = 'Stop hook feedback:\n';

/**
 * The line of JSON with which the hook of an agent at rest passes words to its session.
 *
 * @returns null if the agent takes none, or not so many
 */
export function wordsLine(agent: AgentName, text: string): string | null {
  const document =
    agent === 'claude'
      ? { decision: 'block', reason: text }
      : agent === 'opencode'
        ? { prompt: text }
        : null;
  const line = JSON.stringify(document);
  return document === null || Buffer.byteLength(line) > MOST_BYTES ? null : line;
}

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

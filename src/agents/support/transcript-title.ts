import { isJsonObject } from '../../core/json-object.ts';

/**
 * The lines of a transcript that hold a title, the most telling first, and where in them it stands: what a person called
 * the session, what the agent calls it, the summary of an earlier part, and droid's first line. None of them is documented, and
 * only `ai-title` was seen in public code that reads transcripts of Claude Code; a line of another shape is passed over.
 */
const titleLines = [
  { type: 'custom-title', field: 'customTitle' },
  { type: 'ai-title', field: 'aiTitle' },
  { type: 'summary', field: 'summary' },
  { type: 'session_start', field: 'title' },
] as const;

/** The title of a session in pieces of its transcript (JSON Lines), oldest first; null where there is none. */
export function titleInTranscript(pieces: readonly string[]): string | null {
  const entries = pieces.flatMap((piece) => piece.split('\n').flatMap(entryIn));
  for (const { type, field } of titleLines) {
    const titles = entries.flatMap((entry) => {
      const title = entry['type'] === type ? entry[field] : null;
      return typeof title === 'string' && title.trim() !== '' ? [title] : [];
    });
    const latest = titles.at(-1);
    if (latest !== undefined) return latest;
  }
  return null;
}

/** Most lines are messages: only one with the word is worth parsing. Half lines at the borders of a piece are none. */
function entryIn(line: string): readonly Readonly<Record<string, unknown>>[] {
  if (!titleLines.some(({ type }) => line.includes(`"${type}"`))) return [];
  try {
    const entry: unknown = JSON.parse(line);
    return isJsonObject(entry) ? [entry] : [];
  } catch {
    return [];
  }
}

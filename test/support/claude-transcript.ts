import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A path where Claude Code keeps its transcripts: it proves that Claude Code sent an event. */
export async function claudeTranscript(home: string): Promise<string> {
  const directory = join(home, '.claude/projects/w');
  await mkdir(directory, { recursive: true });
  return join(directory, 'session.jsonl');
}

import { basename, dirname, join } from 'node:path';

import { z } from 'zod';

import type { HookEvent } from '../../core/hook-event.ts';
import { parseJson } from '../../platform/json.ts';

/**
 * The file in which Claude Code records the state of a running session, beside its transcripts. It is not documented, so a
 * missing field or file means only that nothing is known.
 */
const SessionRecord = z.object({
  sessionId: z.string(),
  /** "waiting" while a prompt is shown. */
  status: z.string(),
  /** When the status changed, Unix ms. */
  statusUpdatedAt: z.number(),
});

/** The path of the record; null if the agent keeps none. */
export function sessionRecordPath(
  { agent, machine, transcriptPath }: Pick<HookEvent, 'agent' | 'machine' | 'transcriptPath'>,
  agentPid: number | null,
): string | null {
  if (agent !== 'claude' || machine !== null) return null;
  if (transcriptPath === null || agentPid === null) return null;
  const projects = dirname(dirname(transcriptPath));
  return basename(projects) === 'projects'
    ? join(dirname(projects), 'sessions', `${agentPid}.json`)
    : null;
}

/**
 * When the prompt that was open since then was answered in the terminal, Unix ms: the agent sends no event before the call has
 * ended. Null if it is open, or that is unknown, as in the moment before the prompt is shown.
 */
export function promptAnsweredAt(
  record: string,
  { sessionId, openedAt }: { readonly sessionId: string | null; readonly openedAt: number },
): number | null {
  const read = SessionRecord.safeParse(parseJson(record));
  if (!read.success || read.data.sessionId !== sessionId) return null;
  const { status, statusUpdatedAt } = read.data;
  return status !== 'waiting' && statusUpdatedAt > openedAt ? statusUpdatedAt : null;
}

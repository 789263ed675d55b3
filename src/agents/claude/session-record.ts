import { basename, dirname, join } from 'node:path';

import { z } from 'zod';

import type { PromptRecord } from '../../core/agent/agent-traits.ts';
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

/**
 * Shows that a prompt was answered in the terminal: the agent sends no event before the call has ended. Whether it is open is
 * unknown in the moment before it is shown.
 */
export const sessionRecord: PromptRecord = {
  pathOf({ machine, transcriptPath }, agentPid) {
    if (machine !== null || transcriptPath === null || agentPid === null) return null;
    const projects = dirname(dirname(transcriptPath));
    return basename(projects) === 'projects'
      ? join(dirname(projects), 'sessions', `${agentPid}.json`)
      : null;
  },
  answeredAt(record, { sessionId, openedAt }) {
    const read = SessionRecord.safeParse(parseJson(record));
    if (!read.success || read.data.sessionId !== sessionId) return null;
    const { status, statusUpdatedAt } = read.data;
    return status !== 'waiting' && statusUpdatedAt > openedAt ? statusUpdatedAt : null;
  },
};

import { basename, dirname, join } from 'node:path';

import { z } from 'zod';

import type { PromptRecord } from '../../core/agent/agent-traits.ts';
import type { RecordedSession, StatedState } from '../../core/agent/witness.ts';
import { parseJson } from '../../platform/json.ts';
import type { Witness } from '../support/seen-events.ts';
import { plainDetails, turnDetails } from './seen-turn.ts';

const FOLDER = 'sessions';
const NAME = /^(\d{1,10})\.json$/;
/** Paths and words of agents are cut by what decodes them; this only keeps a forged file from being an event. */
const text = z.string().min(1).max(4_096);
const orNull = text.nullish().catch(null);

/** The file in which Claude Code keeps the state of a running session, `sessions/PID.json`. It is not documented: what is missing is unknown. */
const SessionRecord = z.object({
  pid: z.int().min(2).optional().catch(undefined),
  sessionId: text,
  /** "busy", "idle", "shell" (idle, while a command runs in the background); "waiting" while a dialog is open. */
  status: text,
  /** When the status was written last, Unix ms. */
  statusUpdatedAt: z.number().nonnegative().max(Number.MAX_SAFE_INTEGER),
  /** "permission prompt", "input needed", "dialog open", "sandbox request", "worker request", "goal proposal". */
  waitingFor: orNull,
  cwd: orNull,
  procStart: orNull,
  version: orNull,
  /** "cli", "claude-vscode", "claude-desktop", "sdk-cli", … */
  entrypoint: orNull,
  /** "interactive", "bg"; "daemon" and "daemon-worker" stand for other processes. */
  kind: orNull,
  /** Started in advance, and not in use yet. */
  spare: z.boolean().optional().catch(undefined),
});

function readRecord(record: string): z.output<typeof SessionRecord> | null {
  return SessionRecord.safeParse(parseJson(record)).data ?? null;
}

/**
 * Shows that a prompt was answered in the terminal: the agent sends no event before the call has ended. Whether it is open is
 * unknown in the moment before it is shown.
 */
export const sessionRecord: PromptRecord = {
  pathOf({ machine, transcriptPath }, agentPid) {
    if (machine !== null || transcriptPath === null || agentPid === null) return null;
    const projects = dirname(dirname(transcriptPath));
    return basename(projects) === 'projects'
      ? join(dirname(projects), FOLDER, `${agentPid}.json`)
      : null;
  },
  answeredAt(record, { sessionId, openedAt }) {
    const read = readRecord(record);
    if (read === null || read.sessionId !== sessionId) return null;
    const { status, statusUpdatedAt } = read;
    return status !== 'waiting' && statusUpdatedAt > openedAt ? statusUpdatedAt : null;
  },
};

const states: Readonly<Record<string, StatedState>> = {
  busy: 'working',
  idle: 'idle',
  shell: 'idle',
  waiting: 'waiting',
};

export const claudeWitness = {
  folder: FOLDER,
  names: NAME,
  read(name: string, record: string): RecordedSession | null {
    const pid = Number(NAME.exec(name)?.[1]);
    const read = readRecord(record);
    if (read === null || !Number.isSafeInteger(pid) || (read.pid ?? pid) !== pid) return null;
    if (read.spare === true || read.kind?.startsWith('daemon') === true) return null;
    const { sessionId, status, statusUpdatedAt, cwd, version, procStart, entrypoint } = read;
    // A state that is not known yet is not "busy": silence would be the worse guess.
    const state = Object.hasOwn(states, status) ? states[status]! : 'waiting';
    return {
      state,
      since: Math.round(statusUpdatedAt),
      waitingFor: state === 'waiting' ? (read.waitingFor ?? status) : null,
      sessionId,
      cwd: cwd ?? null,
      pid,
      start: procStart ?? null,
      version: version ?? null,
      surface: entrypoint ?? null,
    };
  },
  // A secret, of which only the name is read. While the process asks the first questions, there is no record beside it.
  beginning: (name: string) =>
    Number(/^(\d{1,10})\.[\da-f]{64}\.key$/.exec(name)?.[1] ?? 0) || null,
  // A session that has changed its directory keeps its transcript in the folder of the first one.
  transcriptOf: ({ sessionId }: RecordedSession) => join('projects', '*', `${sessionId}.jsonl`),
  proof: ({ pid, sessionId, surface }: RecordedSession) => ({
    claude_pid: String(pid),
    claude_code_session_id: sessionId,
    ...(surface !== null && { claude_code_entrypoint: surface }),
  }),
  details: turnDetails,
  plain: plainDetails,
} satisfies Witness;

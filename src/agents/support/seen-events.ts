import { SEEN_EVENT, seenFact, type RecordedSession } from '../../core/agent/witness.ts';
import type { HookFacts } from '../../core/facts.ts';
import { isWaiting, type Kind } from '../../core/hook-event.ts';
import type { Payload } from './payload.ts';
import { permissionRequest, turnFailure } from './readings.ts';
import type { TranscriptLine } from './transcript-lines.ts';
import type { Meaning } from './vocabulary.ts';

/** How an agent shows its sessions without a hook: in a file for each running one. */
export interface Witness {
  /** The folder of these files, in the directory of the agent's settings; empty: that directory. */
  readonly folder: string;
  /** The names of these files: others there hold secrets, and are not read. */
  readonly names: RegExp;
  /** Reads a file of the folder: a session, or a list of them; null: it is none of a session, or half-written. */
  readonly read: (
    name: string,
    text: string,
  ) => RecordedSession | readonly RecordedSession[] | null;
  /** For a list, which has no states: the file with those of a session, and what its lines, the newest first, show; null: nothing. */
  readonly states?: {
    readonly pathOf: (session: RecordedSession) => string;
    readonly read: (
      session: RecordedSession,
      lines: Iterable<TranscriptLine>,
    ) => RecordedSession | null;
  };
  /** The process of another file of the folder, which is there before its session has begun; null: none. */
  readonly beginning: (name: string) => number | null;
  /** The path of its transcript below that directory; `*` stands for one folder. */
  readonly transcriptOf: (session: RecordedSession) => string;
  /** The facts of its hooks by which an event is this agent's. */
  readonly proof: (session: RecordedSession) => HookFacts;
  /**
   * What the end of the transcript says about what a session waits for now, or how its turn went; null: nothing yet.
   *
   * @param lines the newest first
   */
  readonly details: (
    session: RecordedSession,
    lines: Iterable<TranscriptLine>,
  ) => SeenDetails | null;
  /** What is known without a transcript. */
  readonly plain: (session: RecordedSession) => SeenDetails;
}

/** Fields of a payload, named as hooks name them. */
export interface SeenDetails {
  /** Of a wait: its kind. Of the end of a turn: how it ended. */
  readonly status: Kind;
  readonly message?: string;
  readonly tool_name?: string;
  readonly tool_input?: unknown;
  readonly error?: string;
}

/** Kinds that an event made of a statement may have. */
const seenKinds = [
  'needs.permission',
  'needs.input',
  'tool.done',
  'prompt',
  'turn.done',
  'turn.failed',
  'turn.interrupted',
  'session.start',
  'session.end',
] as const satisfies readonly Kind[];

/** The meaning of an event that is made of a statement; null for an event of a hook, whatever its name. */
export function seenMeaning(payload: Payload, event: string, { seen }: HookFacts): Meaning | null {
  if (seen === undefined || !event.startsWith(SEEN_EVENT)) return null;
  const kind = seenKinds.find((known) => known === payload.status) ?? 'activity';
  const { message: text, reason } = payload;
  if (kind === 'turn.failed') return turnFailure(payload);
  if (!isWaiting(kind)) return { kind, text, reason };
  if (payload.tool !== null) return { ...permissionRequest(payload), reason };
  // The same words may stand for the next wait.
  return { kind, text, reason, about: [text, seen] };
}

/** The payload of a statement's event, as a hook would send it. */
export function seenPayload(
  session: RecordedSession,
  { status, ...details }: SeenDetails,
  transcriptPath: string | null,
): Uint8Array {
  const { state, sessionId, cwd, waitingFor, version, surface } = session;
  const payload = {
    hook_event_name: `${SEEN_EVENT}${state.slice(0, 1).toUpperCase()}${state.slice(1)}`,
    session_id: sessionId,
    cwd,
    ...(transcriptPath !== null && { transcript_path: transcriptPath }),
    ...(waitingFor !== null && { reason: waitingFor }),
    status,
    ...details,
    seen: seenFact(session),
    version,
    surface,
  };
  return new TextEncoder().encode(JSON.stringify(payload));
}

import type { HookEvent, HookRecord } from './hook-event.ts';

type FoundFields =
  | 'id'
  | 'at'
  | 'agent'
  | 'event'
  | 'kind'
  | 'sessionKey'
  | 'sessionId'
  | 'message'
  | 'failed'
  | 'title'
  | 'subject';

/** What is known of an event that was found out without a hook; the rest only a hook could have told. */
export interface Found extends Pick<HookEvent, FoundFields> {
  /** Who finds things out: their ids are unique among themselves. */
  readonly finder: string;
  /** For programs, and for channels that show more than text: any JSON. */
  readonly payload: unknown;
}

/** The record of something that no hook told. The same thing found out again has the same id, so it counts once for ever. */
export function foundRecord({ finder, payload, ...found }: Found): HookRecord {
  const event: HookEvent = {
    ...found,
    machine: null,
    receivedAt: found.at,
    cwd: null,
    project: null,
    tool: null,
    asked: null,
    reason: null,
    notificationType: null,
    permissionMode: null,
    subagent: false,
    attended: null,
    source: null,
    transcriptPath: null,
    backgroundWork: false,
    duplicate: { key: JSON.stringify([finder, found.id]), windowMs: null },
    facts: {},
  };
  return { event, payload: new TextEncoder().encode(JSON.stringify(payload)) };
}

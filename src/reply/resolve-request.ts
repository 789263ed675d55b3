import type { AlertStore } from '../core/alert.ts';
import type { HookEvent } from '../core/hook-event.ts';

export interface RequestEnd {
  readonly at: number;
  readonly reason: string;
  /** Through which it was answered; null: at the terminal. */
  readonly via: string | null;
  /** Whether the turn of the agent ended with it. */
  readonly isTurnOver: boolean;
  readonly exceptChannels: readonly string[];
}

/** A later alert of the session, about something else, stays. Returns whether there was one. */
export async function resolveRequest(
  alerts: Pick<AlertStore, 'liveOf' | 'answerRequest'>,
  { sessionKey, subject }: Pick<HookEvent, 'sessionKey' | 'subject'>,
  end: RequestEnd,
): Promise<boolean> {
  const live = await alerts.liveOf([sessionKey]);
  const alert = live.find((one) => one.subject === subject);
  if (alert === undefined) return false;
  await alerts.answerRequest({ eventId: alert.eventId, sessionKey, ...end });
  return true;
}

import { SEEN, SeenAnswer } from '../core/hub/machine-requests.ts';
import type { AskHub } from './me-route.ts';

/** Pauses before the report is sent again to a hub that is away, ms. */
const AGAIN_MS = [2_000, 10_000, 60_000, 300_000];

/**
 * Reports to the hub that the person has seen alerts of these sessions, so that it does not go on notifying; null: of
 * all sessions. A hub that is away gets it later.
 *
 * @returns how many alerts the hub acknowledged; 0 without a hub, or if it is away. Never rejects
 */
export async function seenAtHub(
  askHub: AskHub,
  sessions: readonly string[] | null,
  attempt = 0,
): Promise<number> {
  const reply = await askHub(SEEN, { sessions }).catch(() => null);
  if (reply === null) return 0;
  if (reply.type === 'ok') return SeenAnswer.safeParse(reply.answer).data?.count ?? 0;
  const pauseMs = AGAIN_MS[attempt];
  const isAway = reply.type === 'unreachable' || reply.type === 'later';
  if (isAway && pauseMs !== undefined) {
    setTimeout(() => void seenAtHub(askHub, sessions, attempt + 1), pauseMs).unref();
  }
  return 0;
}

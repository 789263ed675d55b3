import { z } from 'zod';

import { durationText } from '../text/duration.ts';

/** Credits of a session as a notification tells them. */
export interface ToldCredits extends Credits {
  /** What came on top since an earlier turn of the session ended; null where that is not known. */
  readonly growth: { readonly amount: number; readonly sinceMs: number } | null;
}

const sources: Readonly<Record<Credits['source'], string>> = {
  inclusiveTokenUsage: 'inclusive token usage',
  tokenUsage: 'token usage',
};

/** The growth first, then the whole, and which of the service's two sums it is. */
export function creditsText({ amount, source, growth }: ToldCredits): string {
  const whole = `${numberText(amount)} ${growth === null ? unit(amount) : 'in all'} (${sources[source]})`;
  if (growth === null) return whole;
  const since = `since its stop ${durationText(growth.sinceMs)} before`;
  return `+${numberText(growth.amount)} ${unit(growth.amount)} ${since}, ${whole}`;
}

function unit(amount: number): string {
  return amount === 1 ? 'credit' : 'credits';
}

function numberText(amount: number): string {
  return amount.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

const creditsSchema = z.object({
  amount: z.number(),
  /** The field it came from: whether one of them includes child sessions is not documented, so they are never added. */
  source: z.enum(['inclusiveTokenUsage', 'tokenUsage']),
});

/** Credits a session has used up. */
export type Credits = Readonly<z.infer<typeof creditsSchema>>;

/** What the vendor's service says of a session. Texts are as they came. */
export interface ServiceSession {
  readonly title: string | null;
  /** `running` and `pending` mean that it works; what any other word means is not known. */
  readonly status: string;
  readonly computerId: string | null;
  readonly activeMs: number | null;
  readonly credits: Credits | null;
}

/** The service's answer, or why there is none. Reasons are sentences without secrets. */
export type ServiceAnswer<Found> =
  | { readonly type: 'found'; readonly found: Found }
  /** There is no such thing. */
  | { readonly type: 'unknown' }
  /** It answers nothing of the kind to us, and asking again soon would not help. */
  | { readonly type: 'refused'; readonly reason: string }
  /** `retryAfterMs`: the service asked for so long a pause. */
  | { readonly type: 'failed'; readonly reason: string; readonly retryAfterMs: number | null };

/** The vendor's service, asked about sessions. Nothing rejects. */
export interface SessionService {
  readonly session: (
    sessionId: string,
    signal: AbortSignal,
  ) => Promise<ServiceAnswer<ServiceSession>>;
  /** Answers a computer's name. */
  readonly computer: (computerId: string, signal: AbortSignal) => Promise<ServiceAnswer<string>>;
  /** One cheap question, to see whether it answers. */
  readonly reach: (signal: AbortSignal) => Promise<ServiceAnswer<null>>;
}

/** Credits of a session when one of its turns ended. */
const creditsAtStopSchema = z.object({
  eventId: z.string(),
  /** When the turn ended, Unix ms. */
  at: z.number(),
  credits: creditsSchema,
});

export type CreditsAtStop = Readonly<z.infer<typeof creditsAtStopSchema>>;

/** What was found out about a session besides what its events say; kept with it. Texts are as they came. */
export const lookedUpSchema = z.object({
  /** When the service said it, Unix ms; 0: it never did. */
  askedAt: z.number(),
  title: z.string().nullable(),
  /** From the agent's own record of the session. */
  transcriptTitle: z.string().nullable(),
  computer: z.string().nullable(),
  activeMs: z.number().nullable(),
  credits: creditsSchema.nullable(),
  /** At the ends of the last turns whose credits are known, the latest first; two at most. */
  stops: z.array(creditsAtStopSchema).readonly(),
});

export type LookedUp = Readonly<z.infer<typeof lookedUpSchema>>;

export const nothingLookedUp: LookedUp = {
  askedAt: 0,
  title: null,
  transcriptTitle: null,
  computer: null,
  activeMs: null,
  credits: null,
  stops: [],
};

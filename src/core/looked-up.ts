import { z } from 'zod';

import { durationText } from '../text/duration.ts';
import type { DialectName } from './hook-event.ts';

/** The vendor's own agent: the service knows its sessions. */
export const SERVICE_AGENT: DialectName = 'droid';

export interface ReportedCredits extends Credits {
  /** Growth since an earlier turn of the session ended; null if unknown. */
  readonly growth: { readonly amount: number; readonly sinceMs: number } | null;
}

const sources: Readonly<Record<Credits['source'], string>> = {
  inclusiveTokenUsage: 'inclusive token usage',
  tokenUsage: 'token usage',
};

/** The growth first, then the total, and which of the service's two sums it is. */
export function usedCreditsText({ amount, source, growth }: ReportedCredits): string {
  const whole = `${numberText(amount)} ${growth === null ? unit(amount) : 'in all'} (${sources[source]})`;
  if (growth === null) return whole;
  const since = `since it stopped ${durationText(growth.sinceMs)} earlier`;
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

export type Credits = Readonly<z.infer<typeof creditsSchema>>;

/** A session as the vendor's service reports it. Texts are verbatim. */
export interface ServiceSession {
  readonly title: string | null;
  /** `running` and `pending` mean that it works; the meaning of any other value is unknown. */
  readonly status: string;
  readonly computerId: string | null;
  readonly activeMs: number | null;
  readonly credits: Credits | null;
}

/** The service's answer, or why it is missing. Reasons are sentences without secrets. */
export type ServiceAnswer<Found> =
  | { readonly type: 'found'; readonly found: Found }
  | { readonly type: 'unknown' }
  /** The service refuses such requests, and retrying soon would not help. */
  | { readonly type: 'refused'; readonly reason: string }
  /** `retryAfterMs`: the pause that the service requested. */
  | { readonly type: 'failed'; readonly reason: string; readonly retryAfterMs: number | null };

/** Session requests to the vendor's service. No method rejects. */
export interface SessionService {
  readonly session: (
    sessionId: string,
    signal: AbortSignal,
  ) => Promise<ServiceAnswer<ServiceSession>>;
  readonly computer: (computerId: string, signal: AbortSignal) => Promise<ServiceAnswer<string>>;
  /** Sends one cheap request, to check whether the service answers. */
  readonly reach: (signal: AbortSignal) => Promise<ServiceAnswer<null>>;
}

const creditsAtStopSchema = z.object({
  eventId: z.string(),
  /** When the turn ended, Unix ms. */
  at: z.number(),
  credits: creditsSchema,
});

export type CreditsAtStop = Readonly<z.infer<typeof creditsAtStopSchema>>;

/** Looked-up details of a session besides its events; stored with it. Texts are verbatim. */
export const lookedUpSchema = z.object({
  /** When the service answered, Unix ms; 0: never. */
  askedAt: z.number(),
  title: z.string().nullable(),
  /** From the agent's transcript. */
  transcriptTitle: z.string().nullable(),
  computer: z.string().nullable(),
  activeMs: z.number().nullable(),
  credits: creditsSchema.nullable(),
  /** Credits at the ends of the last turns, if known, the latest first; at most two. */
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

/** A person of the organization, as the vendor's service names people: by id, by address, or by both. */
export interface Person {
  readonly id: string | null;
  readonly email: string | null;
}

/** A person named by an address or an id, as in the lists of the analytics. */
export function personNamed(name: string): Person {
  return name.includes('@') ? { id: null, email: name } : { id: name, email: null };
}

/**
 * Address of the person whom a notification concerns.
 *
 * - `found`: this address, not verified yet; `isOutside`: no user of the organization has its domain
 * - `unknown`: no address, for a reason that completes "because …"
 */
export type Recipient =
  | { readonly type: 'found'; readonly address: string; readonly isOutside: boolean }
  | { readonly type: 'unknown'; readonly reason: string };

import { z } from 'zod';

import { TranscriptAddition, transcriptAddition } from '../agents/complete.ts';
import { agentFacts, type FactKey, type HookFacts } from '../core/facts.ts';
import type { HookRecord } from '../core/hook-event.ts';
import { cutText } from '../text/sanitize.ts';
import { MOST_TITLE } from './session-titles.ts';

export const HELLO = '/v1/relay/hello';
export const EVENTS = '/v1/relay/events';

/** A request holds at most this many events … */
export const BATCH_EVENTS = 256;
/** … with at most this many bytes of payload, or one larger event. */
export const BATCH_BYTES = 4 * 1024 * 1024;
/** The largest envelope, in base64, with room for the rest. */
export const MAX_BODY = 24 * 1024 * 1024;

/**
 * The facts that are valid on another machine: those that identify the agent. Numbers of processes, terminals, panes
 * and windows mean something else there, so they are neither sent nor accepted.
 */
const portableFacts: readonly (FactKey | 'seen')[] = ['agent', 'event', ...agentFacts, 'seen'];

const MAX_FACT = 1_024;

/** Loose: a newer hookbell may send more. */
export const RelayedEvent = z.object({
  id: z.string().regex(/^[0-9a-z-]{16,64}$/),
  /** When the hook ran, Unix ms. */
  at: z.int().nonnegative(),
  facts: z.record(z.string(), z.string()),
  payload: z.base64(),
  /** Additional text of the agent's transcript there; omitted if it does not fit. */
  added: TranscriptAddition.optional().catch(undefined),
  /** The session's title, which may stand only in the agent's transcript there. */
  title: z.string().max(MOST_TITLE).optional().catch(undefined),
  /** The machine holds the request for an answer; it reports it to a hub next. */
  held: z.literal(true).optional().catch(undefined),
});
export type RelayedEvent = z.output<typeof RelayedEvent>;

/** Events are parsed one by one, so that one unreadable event does not keep out the others. */
export const Batch = z.object({
  version: z.literal(1),
  events: z.array(z.looseObject({ id: z.string().max(64) })).max(BATCH_EVENTS),
});

export const Verdicts = z.object({
  version: z.literal(1),
  results: z.array(
    z.object({
      id: z.string(),
      /** `known`: it arrived before. */
      verdict: z.enum(['committed', 'known', 'refused']),
      /** Why it was refused. */
      reason: z.string().optional(),
    }),
  ),
  /** The version of the policy for machines, if this is a hub that has one. */
  policy: z.int().optional().catch(undefined),
});
export type Verdicts = z.output<typeof Verdicts>;

export const Greeting = z.object({
  version: z.literal(1),
  machine: z.string(),
  /** Whether it is a hub, through which people answer. */
  hub: z.boolean().optional().catch(undefined),
});

/** `error` is one of `token`, `clock`, `replay`, `rate`, `busy`, `too-large`, `malformed`, `unknown`. */
export const RefusalBody = z.object({
  error: z.string(),
  /** The clock there, Unix ms; with `clock`. */
  now: z.number().optional(),
});

/** The body of the request that relays these events; `held`: whether the request of an event is held for an answer. */
export function batchOf(
  records: readonly HookRecord[],
  held: (eventId: string) => boolean = () => false,
): string {
  return JSON.stringify({
    version: 1,
    events: records.map((record) => {
      const { event, payload } = record;
      const added = transcriptAddition(record);
      return {
        id: event.id,
        at: event.at,
        facts: factsToRelay(event.facts),
        payload: Buffer.from(payload).toString('base64'),
        ...(added === null ? {} : { added }),
        ...(event.title === null ? {} : { title: cutText(event.title, MOST_TITLE) }),
        ...(held(event.id) && { held: true }),
      };
    }),
  });
}

/** The facts that mean the same on every machine; other ones are dropped. */
export function factsToRelay(facts: Readonly<Record<string, string | undefined>>): HookFacts {
  const accepted: Partial<Record<FactKey | 'seen', string>> = {};
  for (const key of portableFacts) {
    const value = facts[key];
    if (value === undefined || value === '' || value.length > MAX_FACT) continue;
    if (!/\p{Cc}/u.test(value)) accepted[key] = value;
  }
  return accepted;
}

import { z } from 'zod';

import type { Caller } from './request-caller.ts';
import type { CallOptions } from './client-options.ts';
import { ApiError, mayHaveHappened, ApiUsageError } from './api-errors.ts';
import type { BadItem } from './parse-response.ts';
import { checkParameters, defineRoutes, factsOf } from './define-routes.ts';
import { emailParameter, number, text } from './schema-parts.ts';

/** Maximum number of entries per request. */
export const MAX_LIMIT_ENTRIES = 100;

export const LimitEntry = z.strictObject({
  email: emailParameter.describe('The user'),
  // Null removes a limit at the vendor, though the interface says number: `setLimits` sends it only on request.
  limit: z.number('expected a finite number').nullable().describe('Standard credits'),
});
export type LimitEntry = z.infer<typeof LimitEntry>;

export const limitRoutes = defineRoutes(
  { family: 'v0' },
  {
    'org.setLimits': {
      summary: 'Set credit limits of users',
      method: 'PUT',
      path: '/api/v0/organization/usage/limits/users',
      parameters: z.strictObject({
        users: z
          .array(LimitEntry)
          .min(1, 'expected 1 to 100 entries')
          .max(MAX_LIMIT_ENTRIES, 'expected 1 to 100 entries')
          .describe('Limits by email, 1 to 100'),
      }),
      response: z.looseObject({
        updated: z.array(z.looseObject({ email: z.string(), limit: number })),
        errors: z.array(z.looseObject({ email: z.string(), error: text })),
      }),
      lists: ['updated', 'errors'],
      retry: 'idempotent-write',
      view: {
        columns: [
          { name: 'e-mail', from: 'email' },
          { name: 'asked', from: 'limit', kind: 'number' },
          { name: 'result', from: 'outcome' },
          { name: 'limit now', from: 'returned', kind: 'number' },
          { name: 'error', from: 'error' },
        ],
      },
    },
  },
);
const route = limitRoutes['org.setLimits'];

export interface SetLimitsOptions extends CallOptions {
  /** Accept `null` as a limit. The interface says number; the vendor accepts null as "no individual limit". */
  readonly allowNull?: boolean;
}

/**
 * The result of one entry.
 *
 * - `updated`: `returned` is the limit from the service, which may be clamped
 * - `refused`: `error` is the text of the service
 * - `no-answer`: it is in neither list of the response (`unnamed`); the response was lost, so that it may have taken effect
 *   (`lost`); its request failed without effect (`failed`); or was not sent because an earlier one failed (`not-sent`)
 */
export type LimitOutcome = LimitEntry &
  (
    | { readonly outcome: 'updated'; readonly returned: number | null }
    | { readonly outcome: 'refused'; readonly error: string }
    | {
        readonly outcome: 'no-answer';
        readonly reason: 'unnamed' | 'lost' | 'failed' | 'not-sent';
      }
  );

export interface SetLimitsReport {
  /** One for each entry, in their order. */
  readonly outcomes: readonly LimitOutcome[];
  readonly badItems: readonly BadItem[];
  /** The responses, one per successful request. */
  readonly answers: readonly unknown[];
  /** The error that ended the run early; the entries not sent are `no-answer`. */
  readonly failure: ApiError | null;
}

/**
 * Sets credit limits, at most 100 per request, and accounts for each entry: earlier requests have taken effect when a later
 * one fails, so a failure is part of the report. Without entries it sends nothing.
 *
 * @throws UsageError when an entry is invalid or two are for the same user
 */
export async function setLimits(
  caller: Caller,
  entries: readonly LimitEntry[],
  options: SetLimitsOptions,
): Promise<SetLimitsReport> {
  const batches = batchesOf(entries);
  // Check all before sending the first.
  for (const users of batches) checkParameters(route, { users });
  refuse(duplicateOf(entries), (email) => `e-mail "${email}" is given twice`);
  const nulled = options.allowNull === true ? undefined : entries.find((e) => e.limit === null);
  refuse(nulled, ({ email }) => `limit of "${email}" is null, which needs allowNull`);

  const outcomes: LimitOutcome[] = [];
  const badItems: BadItem[] = [];
  const answers: unknown[] = [];
  let failure: ApiError | null = null;
  for (const users of batches) {
    if (failure !== null) {
      outcomes.push(...users.map((entry) => noAnswer(entry, 'not-sent')));
      continue;
    }
    try {
      const answer = await caller.call(route, { users }, options);
      const { value } = answer;
      badItems.push(...answer.badItems);
      answers.push(answer.raw);
      const updated = new Map(value.updated.map((item) => [keyOf(item.email), item.limit ?? null]));
      const errors = new Map(value.errors.map((item) => [keyOf(item.email), item.error ?? '']));
      outcomes.push(...users.map((entry) => outcomeOf(entry, updated, errors)));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure = error;
      const reason = mayHaveHappened(error) ? 'lost' : 'failed';
      outcomes.push(...users.map((entry) => noAnswer(entry, reason)));
    }
  }
  return { outcomes, badItems, answers, failure };
}

function outcomeOf(
  entry: LimitEntry,
  updated: ReadonlyMap<string, number | null>,
  errors: ReadonlyMap<string, string>,
): LimitOutcome {
  const key = keyOf(entry.email);
  // Named in both lists, the error is the safer reading.
  const error = errors.get(key);
  if (error !== undefined) return { ...entry, outcome: 'refused', error };
  if (!updated.has(key)) return noAnswer(entry, 'unnamed');
  return { ...entry, outcome: 'updated', returned: updated.get(key) ?? null };
}

function noAnswer(
  entry: LimitEntry,
  reason: Extract<LimitOutcome, { outcome: 'no-answer' }>['reason'],
): LimitOutcome {
  return { ...entry, outcome: 'no-answer', reason };
}

/** Results are matched by e-mail, whose case the service may change. */
function keyOf(email: string): string {
  return email.trim().toLowerCase();
}

function batchesOf(entries: readonly LimitEntry[]): LimitEntry[][] {
  const batches: LimitEntry[][] = [];
  for (let start = 0; start < entries.length; start += MAX_LIMIT_ENTRIES) {
    batches.push(entries.slice(start, start + MAX_LIMIT_ENTRIES));
  }
  return batches;
}

function duplicateOf(entries: readonly LimitEntry[]): string | undefined {
  const seen = new Set<string>();
  for (const { email } of entries) {
    if (seen.has(keyOf(email))) return email;
    seen.add(keyOf(email));
  }
  return undefined;
}

function refuse<Found>(found: Found | undefined, reason: (found: Found) => string): void {
  if (found === undefined) return;
  throw new ApiUsageError(reason(found), { ...factsOf(route), attempts: 0 });
}

import { z } from 'zod';
import type { Outcome } from '../../core/outcome.ts';
import { delivered, failed, retry } from '../../core/outcome.ts';
import type { Addressees } from './addressees.ts';
import type { QuoteReply } from './reply-quote.ts';

/** How far a delivery has come with its recipients; carried from one attempt to the next. */
export interface Progress {
  /** Addresses not served yet. */
  readonly left: readonly string[];
  /** Addresses the server refused for good in earlier attempts. */
  readonly refused: readonly string[];
  /** Whether they are the person it concerns, and not the recipients of the channel. */
  readonly person: boolean;
}

/** What a server said about one recipient it did not accept. */
export interface Refusal {
  readonly recipient?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
}

const progressSchema = z.object({
  left: z.array(z.string()),
  refused: z.array(z.string()),
  person: z.boolean().default(false),
});

/**
 * Reads the carry of the last attempt. Addresses that are no longer configured fall out. What went to a person whom nobody
 * can find any more begins anew.
 */
export function readProgress(
  carry: string | null,
  { addresses, person }: Pick<Addressees, 'addresses' | 'person'>,
): Progress {
  const fresh: Progress = { left: addresses, refused: [], person };
  const read = progressSchema.safeParse(carry === null ? null : parseJson(carry));
  if (!read.success || read.data.person !== person) return fresh;
  const known = (list: readonly string[]): readonly string[] =>
    addresses.filter((address) => list.includes(address));
  const left = known(read.data.left);
  // Another address of the same person: nothing has reached that one.
  return person && left.length === 0 ? fresh : { left, refused: known(read.data.refused), person };
}

/** The outcome of a transaction in which the server refused some recipients, all, or none. */
export function recipientsOutcome(
  progress: Progress,
  { addresses, note }: Pick<Addressees, 'addresses' | 'note'>,
  refusals: readonly Refusal[],
  quote: QuoteReply,
): Outcome {
  const passing = refusals.filter(({ responseCode }) => (responseCode ?? 0) < 500);
  const refused = [...progress.refused, ...addressesOf(refusals.filter(isFinal))];
  if (passing.length > 0) {
    const { person } = progress;
    return retry(`The mail server put off ${describe(passing, quote)}`, {
      carry: JSON.stringify({ left: addressesOf(passing), refused, ...(person && { person }) }),
    });
  }
  if (refused.length === 0) return delivered(note === null ? {} : { note });
  if (refused.length < addresses.length) {
    const without = `${refused.length} of ${addresses.length} recipients refused: ${refused.join(', ')}`;
    return delivered({ note: note === null ? without : `${note}; ${without}` });
  }
  return failed(`The mail server refused every recipient: ${describe(refusals, quote)}`);
}

function isFinal({ responseCode }: Refusal): boolean {
  return (responseCode ?? 0) >= 500;
}

function addressesOf(refusals: readonly Refusal[]): readonly string[] {
  return refusals.flatMap(({ recipient }) => (recipient === undefined ? [] : [recipient]));
}

function describe([first, ...others]: readonly Refusal[], quote: QuoteReply): string {
  if (first === undefined) return 'nobody';
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${first.recipient ?? 'a recipient'} (${quote(first.response)})${more}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

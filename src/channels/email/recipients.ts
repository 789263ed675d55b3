import { z } from 'zod';
import type { Outcome } from '../../core/outcome.ts';
import { delivered, failed, retry } from '../../core/outcome.ts';
import type { QuoteReply } from './reply-quote.ts';

/** How far a delivery has come with its recipients; carried from one attempt to the next. */
export interface Progress {
  /** Addresses not served yet. */
  readonly left: readonly string[];
  /** Addresses the server refused for good in earlier attempts. */
  readonly refused: readonly string[];
}

/** What a server said about one recipient it did not accept. */
export interface Refusal {
  readonly recipient?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
}

const progressSchema = z.object({ left: z.array(z.string()), refused: z.array(z.string()) });

/** Reads the carry of the last attempt. Addresses that are no longer configured fall out. */
export function readProgress(carry: string | null, configured: readonly string[]): Progress {
  const read = progressSchema.safeParse(carry === null ? null : parseJson(carry));
  if (!read.success) return { left: configured, refused: [] };
  const known = (list: readonly string[]): readonly string[] =>
    configured.filter((address) => list.includes(address));
  return { left: known(read.data.left), refused: known(read.data.refused) };
}

/** The outcome of a transaction in which the server refused some recipients, all, or none. */
export function recipientsOutcome(
  progress: Progress,
  configured: readonly string[],
  refusals: readonly Refusal[],
  quote: QuoteReply,
): Outcome {
  const passing = refusals.filter(({ responseCode }) => (responseCode ?? 0) < 500);
  const refused = [...progress.refused, ...addressesOf(refusals.filter(isFinal))];
  if (passing.length > 0) {
    const carry: Progress = { left: addressesOf(passing), refused };
    return retry(`The mail server put off ${describe(passing, quote)}`, {
      carry: JSON.stringify(carry),
    });
  }
  if (refused.length === 0) return delivered();
  if (refused.length < configured.length) {
    return delivered({
      note: `${refused.length} of ${configured.length} recipients refused: ${refused.join(', ')}`,
    });
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

import type { Claim } from './agents.ts';

/** A time in which something was broken, Unix ms of the day. */
export interface Trouble {
  readonly name: string;
  readonly from: number;
  readonly until: number;
}

/** A message that a channel took. */
export interface Told {
  readonly channel: 'first' | 'later';
  readonly claim: string | null;
  readonly isMarked: boolean;
}

/** How long a trouble has consequences: a message that waits to be tried again, ms. */
const AFTERMATH_MS = 15 * 60_000;

/**
 * Compares what a person had to be notified of with what the channels received.
 *
 * @returns what is wrong, in words
 */
export function judgeDay(
  claims: readonly Claim[],
  { told, troubles }: { readonly told: readonly Told[]; readonly troubles: readonly Trouble[] },
): { readonly silent: readonly string[]; readonly wrong: readonly string[] } {
  const silent: string[] = [];
  const wrong: string[] = [];
  const known = new Map(claims.map((claim) => [claim.name, claim]));
  for (const claim of claims) {
    const isTroubled = troubles.some(
      ({ from, until }) => claim.from < until + AFTERMATH_MS && from < claim.until,
    );
    for (const channel of ['first', 'later'] as const) {
      const here = told.filter((one) => one.channel === channel && one.claim === claim.name);
      const due = isTroubled ? 'open' : claim[channel];
      const title = `${claim.name}, ${claim.what}, on "${channel}"`;
      if (due === 'yes' && here.length === 0) silent.push(title);
      if (due === 'no' && here.length > 0) wrong.push(title);
      if (here.slice(1).some(({ isMarked }) => !isMarked)) wrong.push(`${title}: came again`);
    }
  }
  for (const { claim, channel } of told) {
    if (claim === null || !known.has(claim)) wrong.push(`${claim ?? 'no claim'} on "${channel}"`);
  }
  return { silent, wrong };
}

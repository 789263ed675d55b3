import type { CreditRate } from '../core/budget.ts';
import type { Spender } from './check-budgets.ts';

/** A whole number with thousands set apart. */
export function amountText(amount: number): string {
  return Math.round(amount).toLocaleString('en-US');
}

export function creditAmount(credits: number): string {
  return `${amountText(credits)} standard credits`;
}

/** A share in percent; never rounded up to 100. */
export function shareText(share: number): string {
  return `${Math.floor(share * 100 + 1e-9)} %`;
}

/** What credits cost by the configured rate; the word "estimate" is part of it, since credits are not money. */
export function costText(credits: number, { price, per, currency }: CreditRate): string {
  const cost = ((credits * price) / per).toLocaleString('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return `${cost} ${currency} (estimate)`;
}

/** For the middle of a sentence. */
export function spenderText({ scope, name }: Spender): string {
  return name === null ? 'the organization' : `${scope} ${name}`;
}

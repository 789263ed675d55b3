import type { SMTPError } from 'nodemailer/lib/smtp-connection';
import { z } from 'zod';

import { parseJson } from '../../platform/json.ts';
import type { Recipient } from '../../core/looked-up.ts';
import { delivered, failed, type Outcome, retry } from '../../core/outcome.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import { type EmailOptions, type MailAddress, parseMailAddress } from './email-options.ts';
import type { QuoteReply } from './smtp-settings.ts';

export type RecipientRefusal = Pick<SMTPError, 'recipient' | 'responseCode' | 'response'>;

const progressSchema = z.object({
  /** Addresses not served yet. */
  left: z.array(z.string()).readonly(),
  /** Addresses the server refused for good in earlier attempts. */
  refused: z.array(z.string()).readonly(),
  /** Whether they are the person it concerns, and not the recipients of the channel. */
  person: z.boolean().default(false),
});
type MailProgress = z.output<typeof progressSchema>;

/** Addresses no longer configured are dropped; a delivery to a person who can no longer be found starts over. */
export function readProgress(
  carry: string | null,
  { addresses, person }: Pick<Addressees, 'addresses' | 'person'>,
): MailProgress {
  const fresh: MailProgress = { left: addresses, refused: [], person };
  const read = progressSchema.safeParse(parseJson(carry));
  if (!read.success || read.data.person !== person) return fresh;
  const known = (list: readonly string[]): readonly string[] =>
    addresses.filter((address) => list.includes(address));
  const left = known(read.data.left);
  // Another address of the same person: nothing has reached it.
  return person && left.length === 0 ? fresh : { left, refused: known(read.data.refused), person };
}

/** The outcome of a transaction in which the server refused some recipients, all, or none. */
export function recipientsOutcome(
  progress: MailProgress,
  { addresses, note }: Pick<Addressees, 'addresses' | 'note'>,
  refusals: readonly RecipientRefusal[],
  quote: QuoteReply,
): Outcome {
  const passing = refusals.filter(({ responseCode }) => (responseCode ?? 0) < 500);
  const final = refusals.filter((refusal) => !passing.includes(refusal));
  const refused = [...progress.refused, ...addressesOf(final)];
  if (passing.length > 0) {
    const { person } = progress;
    return retry(`The mail server deferred ${describe(passing, quote)}`, {
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

function addressesOf(refusals: readonly RecipientRefusal[]): readonly string[] {
  return refusals.flatMap(({ recipient }) => (recipient === undefined ? [] : [recipient]));
}

function describe([first, ...others]: readonly RecipientRefusal[], quote: QuoteReply): string {
  if (first === undefined) return 'no one';
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${first.recipient ?? 'a recipient'} (${quote(first.response)})${more}`;
}

interface Addressees {
  readonly to: readonly MailAddress[];
  readonly addresses: readonly string[];
  /** Whether it is the person it concerns, and not the recipients of the channel. */
  readonly person: boolean;
  /** Why these, for people; null if no other choice was possible. */
  readonly note: string | null;
  /** Why it is not the person it concerns, as the end of a sentence; null if it is, or none was wanted. */
  readonly problem: string | null;
}

/**
 * A channel for one person writes to the recipient of the notification, or to no one. Any other writes to the person it concerns,
 * if the channel wants that, the person is known, and the address is one mailbox in a domain of the organization or one that the
 * configuration allows; otherwise to the recipients of the channel, with the reason.
 *
 * @param recipient as the vendor's service has it: foreign, and not trusted to be an address
 */
export function addresseesOf(
  { to, to_concerned: isWanted, domains }: Pick<EmailOptions, 'to' | 'to_concerned' | 'domains'>,
  recipient: Recipient | undefined,
): Addressees {
  const own = to === 'person' ? [] : to;
  const isFor = to === 'person';
  if (!isFor && (!isWanted || recipient === undefined)) return ownAddressees(own, null);
  const person = personOf(recipient ?? noRecipient, domains);
  if ('problem' in person) return ownAddressees(own, person.problem);
  const { address } = person;
  return {
    to: [person],
    addresses: [address],
    person: true,
    note: `Sent to ${address}${isFor ? '' : ', the person it concerns'}`,
    problem: null,
  };
}

const noRecipient: Recipient = { type: 'unknown', reason: 'no person is known' };

function ownAddressees(to: readonly MailAddress[], problem: string | null): Addressees {
  const note =
    problem === null ? null : `Sent to the recipients of the channel, because ${problem}`;
  return { to, addresses: to.map(({ address }) => address), person: false, note, problem };
}

function personOf(
  recipient: Recipient,
  domains: readonly string[],
): MailAddress | { readonly problem: string } {
  if (recipient.type === 'unknown') return { problem: recipient.reason };
  const shown = cutText(displayLine(recipient.address), 100);
  const parsed = parseMailAddress(recipient.address);
  // A name in front would be a foreign text in a header.
  if ('problem' in parsed || parsed.name !== '') return { problem: `"${shown}" is not an address` };
  const domain = parsed.address.slice(parsed.address.lastIndexOf('@') + 1).toLowerCase();
  if (recipient.isOutside && !domains.includes(domain)) {
    return { problem: `"${shown}" is outside the domains of the organization` };
  }
  return parsed;
}

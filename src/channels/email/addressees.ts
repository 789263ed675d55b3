import type { Recipient } from '../../core/concerned.ts';
import { cutText, displayLine } from '../../core/sanitize.ts';
import type { MailAddress } from './address.ts';
import { parseMailAddress } from './address.ts';
import type { EmailOptions } from './options.ts';

/** Who gets a mail. */
export interface Addressees {
  readonly to: readonly MailAddress[];
  /** The addresses of these. */
  readonly addresses: readonly string[];
  /** Whether it is the person it concerns, and not the recipients of the channel. */
  readonly person: boolean;
  /** Why these, for people; null where nothing else was possible. */
  readonly note: string | null;
  /** Why it is not the person it concerns, in the end of a sentence; null where it is, or nobody asked. */
  readonly problem: string | null;
}

/**
 * The person a notification concerns where the channel wants that, the person is known, and the address is one mailbox in a
 * domain of the organization or one the configuration allows; else the recipients of the channel, with the reason.
 *
 * @param concerned as the vendor's service has it: foreign, and not trusted to be an address
 */
export function addresseesOf(
  { to, to_concerned: isWanted, domains }: Pick<EmailOptions, 'to' | 'to_concerned' | 'domains'>,
  concerned: Recipient | undefined,
): Addressees {
  if (!isWanted || concerned === undefined) return ownAddressees(to, null);
  const person = personOf(concerned, domains);
  if ('problem' in person) return ownAddressees(to, person.problem);
  const { address } = person;
  return {
    to: [person],
    addresses: [address],
    person: true,
    note: `Sent to ${address}, whom it concerns`,
    problem: null,
  };
}

function ownAddressees(to: readonly MailAddress[], problem: string | null): Addressees {
  const note =
    problem === null ? null : `Sent to the recipients of the channel, because ${problem}`;
  return { to, addresses: to.map(({ address }) => address), person: false, note, problem };
}

function personOf(
  concerned: Recipient,
  domains: readonly string[],
): MailAddress | { readonly problem: string } {
  if (concerned.type === 'unknown') return { problem: concerned.reason };
  const shown = cutText(displayLine(concerned.address), 100);
  const parsed = parseMailAddress(concerned.address);
  // A name in front would be a foreign text in a header.
  if ('problem' in parsed || parsed.name !== '') return { problem: `"${shown}" is no address` };
  const domain = parsed.address.slice(parsed.address.lastIndexOf('@') + 1).toLowerCase();
  if (concerned.isOutside && !domains.includes(domain)) {
    return { problem: `"${shown}" is outside the domains of the organization` };
  }
  return parsed;
}

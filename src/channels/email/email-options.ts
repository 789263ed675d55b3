import { isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';

import { z } from 'zod';

import { secretReference } from '../../core/secret-reference.ts';

/** One mailbox. Passed to nodemailer as an object, because it parses a string as a list of addresses. */
export interface MailAddress {
  readonly name: string;
  /** ASCII only; an international domain is in its `xn--` form. */
  readonly address: string;
}

/** An option that holds `me@example.com` or `Name <me@example.com>`. */
export const mailAddress = z
  .string()
  .transform((text, context): MailAddress => {
    const parsed = parseMailAddress(text);
    if ('address' in parsed) return parsed;
    context.addIssue({ code: 'custom', message: parsed.problem });
    return z.NEVER;
  })
  .describe('An address: "me@example.com" or "Name <me@example.com>"');

/** Reads exactly one mailbox: no list, no group, no comment, nothing that could begin another header. */
export function parseMailAddress(text: string): MailAddress | { readonly problem: string } {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)) {
    return { problem: 'contains a control character' };
  }
  const [, displayName = '', inBrackets, bare = ''] =
    /^\s*(?:([^<>]*)<([^<>]*)>|([^<>]*))\s*$/.exec(text) ?? [];
  const name = parseName(displayName.trim());
  if (name === null) return { problem: 'has a name that must be in double quotes' };
  const address = parseAddress((inBrackets ?? bare).trim());
  if (address === null) {
    return { problem: 'is not one address such as "me@example.com" or "Name <me@example.com>"' };
  }
  return { name, address };
}

function parseName(text: string): string | null {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(text)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1');
  return /["(),:;@[\\\]]/.test(text) ? null : text;
}

// The dot-atom of RFC 5322, section 3.2.3; quoted local parts and address literals are refused.
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

function parseAddress(text: string): string | null {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = domainToASCII(text.slice(at + 1));
  if (!LOCAL_PART.test(local) || !DOMAIN.test(domain)) return null;
  // Limits of RFC 5321, section 4.5.3.1.
  return local.length > 64 || domain.length > 189 ? null : `${local}@${domain}`;
}

const line = z
  .string()
  .min(1)
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'contains a control character');

const smtp = z
  .strictObject({
    host: z
      .string()
      .regex(/^[\w.:-]+$/, 'is not a host name or an IP address')
      .regex(/^(?!\[?[^:]+\]?:\d+$)/, 'contains a port, which belongs in "port"')
      .describe('Its name or address'),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .default(587)
      .describe('587 for STARTTLS, 465 for TLS from the start'),
    secure: z
      .boolean()
      .optional()
      .describe('TLS from the start instead of STARTTLS; true on port 465 by default'),
    starttls: z
      .enum(['required', 'optional', 'never'])
      .default('required')
      .describe('"optional" only with a server on this machine'),
    user: line.optional().describe('Login name; if unset, mail is sent without a login'),
    password: secretReference.optional(),
    ca_file: z
      .string()
      .min(1)
      .optional()
      .describe('PEM file of the authorities to trust instead of the default ones'),
    servername: line
      .optional()
      .describe("The name in the server's certificate, if it differs from the host"),
  })
  .superRefine(({ host, secure, port, starttls, user, password }, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if ((user === undefined) !== (password === undefined)) {
      refuse(user === undefined ? 'user' : 'password', 'is missing: a login needs both');
    }
    if (secure ?? port === 465) return;
    if (isLoopback(host)) return;
    if (starttls === 'optional') {
      refuse('starttls', 'is "optional": an attacker in between could disable encryption');
    }
    if (starttls === 'never' && password !== undefined) {
      refuse('starttls', 'is "never": the password would cross the network unencrypted');
    }
  });

const oneRecipient = z.string().transform((text, context): 'person' | MailAddress[] => {
  if (text === 'person') return text;
  const parsed = parseMailAddress(text);
  if ('address' in parsed) return [parsed];
  context.addIssue({ code: 'custom', message: parsed.problem });
  return z.NEVER;
});

export const emailOptions = z
  .strictObject({
    to: z
      .array(mailAddress)
      .min(1)
      // The remaining recipients after a partial refusal must fit into the 4 KB a channel can carry over to its next
      // attempt.
      .max(15)
      .refine(
        (list) => new Set(list.map(({ address }) => address)).size === list.length,
        'names an address twice',
      )
      .or(oneRecipient)
      .describe(
        "The recipients, or one address; at a hub, `person` is the recipient of the plan's step",
      ),
    to_concerned: z
      .boolean()
      .default(false)
      .describe(
        'Send what concerns one person of the organization (credits, a change, a computer) to that person instead; needs "api"',
      ),
    domains: z
      .array(
        z
          .string()
          .regex(
            /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i,
            'is not a domain, expected one such as example.com',
          )
          .transform((domain) => domain.toLowerCase()),
      )
      .default([])
      .describe('With "to_concerned": domains to write to besides those of the directory'),
    from: mailAddress
      .optional()
      .describe(
        'The sender; otherwise the login name if it is an address, else the first recipient',
      ),
    smtp: smtp.describe('The mail server'),
  })
  .superRefine(({ to, to_concerned: toConcerned, from, smtp: { user } }, context) => {
    if (to !== 'person') return;
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (toConcerned) refuse('to_concerned', 'has no effect with "to: person"');
    if (from !== undefined || 'address' in parseMailAddress(user ?? '')) return;
    refuse('from', 'is missing: with "to: person" there is no default sender');
  });
export type EmailOptions = z.output<typeof emailOptions>;
export type SmtpOptions = EmailOptions['smtp'];

function isLoopback(host: string): boolean {
  return (
    /^(?:.+\.)?localhost$/i.test(host) ||
    host === '::1' ||
    (isIPv4(host) && host.startsWith('127.'))
  );
}

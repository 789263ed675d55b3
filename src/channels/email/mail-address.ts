import { domainToASCII } from 'node:url';
import { z } from 'zod';

/** One mailbox. Passed to nodemailer as an object, because it parses a string as a list of addresses. */
export interface MailAddress {
  /** Empty if missing. */
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

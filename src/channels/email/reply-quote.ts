import { redactText } from '../../core/redact.ts';
import { cutText, displayLine } from '../../core/sanitize.ts';
import type { SmtpSettings } from './smtp-settings.ts';

/** Turns a reply of the mail server into something that may be shown and logged. */
export type QuoteReply = (reply: string | undefined) => string;

/** One line, cut, and without the password, should the server repeat what it was told at the login. */
export function replyQuote(auth: SmtpSettings['auth']): QuoteReply {
  const told =
    auth === undefined
      ? []
      : [auth.pass, `\0${auth.user}\0${auth.pass}`].flatMap((text) => [
          text,
          Buffer.from(text).toString('base64'),
        ]);
  return (reply = '') => {
    const safe = told.reduce((text, secret) => text.replaceAll(secret, '***'), reply);
    return `"${cutText(redactText(displayLine(safe)), 160)}"`;
  };
}

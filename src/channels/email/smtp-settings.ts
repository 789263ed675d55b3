import type { SMTPTransportOptions } from 'nodemailer/lib/smtp-transport';

import type { ChannelDependencies } from '../../core/channel.ts';
import { ConfigError } from '../../platform/errors.ts';
import { redactText } from '../../text/redact.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import { resolvePath } from '../../platform/find-program.ts';
import type { SmtpOptions } from './email-options.ts';

/** Options of nodemailer that serve both sending and the login test. */
export type SmtpSettings = SMTPTransportOptions & {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
};

/**
 * Turns the configuration into nodemailer's options; reads the password and the authorities.
 *
 * @throws ConfigError when one of them cannot be read
 */
export async function smtpSettings(
  { host, port, secure = port === 465, starttls, user, password, ca_file, servername }: SmtpOptions,
  dependencies: ChannelDependencies,
): Promise<SmtpSettings> {
  const ca = ca_file === undefined ? undefined : await readAuthorities(ca_file, dependencies);
  const pass = password === undefined ? undefined : await dependencies.resolveSecret(password);
  return {
    host,
    port,
    secure,
    requireTLS: !secure && starttls === 'required',
    ignoreTLS: !secure && starttls === 'never',
    // Otherwise a server without login support would get the mail without one.
    forceAuth: user !== undefined,
    ...(user !== undefined && pass !== undefined && { auth: { user, pass } }),
    ...(servername !== undefined && { servername }),
    tls: {
      minVersion: 'TLSv1.2',
      // Explicit, so that no environment variable decides it.
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca }),
    },
    // These four measure silence; the deadline of the whole attempt is the signal's.
    dnsTimeout: 5_000,
    connectionTimeout: 8_000,
    greetingTimeout: 8_000,
    socketTimeout: 10_000,
    // An abandoned socket is destroyed, not asked to close: the remote may never do so.
    socketCloseTimeout: 0,
    maxResponseSize: 65_536,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function readAuthorities(path: string, dependencies: ChannelDependencies): Promise<string> {
  const absolute = resolvePath(path, dependencies);
  const text = await dependencies.files.run('text', { path: absolute }).catch((cause: unknown) => {
    throw new ConfigError(`Cannot read smtp.ca_file "${absolute}"`, { cause });
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new ConfigError(`Cannot use smtp.ca_file "${absolute}": it contains no PEM certificate`);
  }
  return text;
}

/** Makes a reply of the mail server safe to show and log. */
export type QuoteReply = (reply: string | undefined) => string;

/** One line, cut, and without the password, in case the server repeats it from the login. */
export function replyQuote(auth: SmtpSettings['auth']): QuoteReply {
  const secrets =
    auth === undefined
      ? []
      : [auth.pass, `\0${auth.user}\0${auth.pass}`].flatMap((text) => [
          text,
          Buffer.from(text).toString('base64'),
        ]);
  return (reply = '') => {
    const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), reply);
    return `"${cutText(redactText(displayLine(safe)), 160)}"`;
  };
}
